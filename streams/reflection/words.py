"""The word lists that reflection judges by. A changed list is a new ``REFLECTION_VERSION``."""

from __future__ import annotations

import re

_STOPWORDS = """
    a about above after again against all also am an and any are aren as at be because been before
    being below between both but by can cannot could couldn did didn do does doesn doing don down
    during each else etc few for from further had hadn has hasn have haven having he her here hers
    herself him himself his how however i if in into is isn it its itself just ll may me might more
    most must mustn my myself no nor not now of off on once only or other ought our ours ourselves
    out over own re s same shall shan she should shouldn so some such t than that the their theirs
    them themselves then there these they this those through thus to too under until up upon us ve
    very via was wasn we were weren what when where whether which while who whom why will with won
    would wouldn yes yet you your yours yourself yourselves
"""
STOPWORDS = frozenset(_STOPWORDS.split())

_CONSEQUENCE_STEMS = """
    abus attack bottleneck breach break broken burden churn collision complex compromis conflict
    confus contention corrupt cost crash damag danger deadlock defect degrad delay denial denied
    deny deprecat desync difficult disclos discrepan disrupt divergen downside downtime drawback
    drift drop duplicat error escalat exceed exfiltrat exhaust expensive exploit exposure fail fatal
    flak flood forge fragil fragment fraud halt hang harder harm hazard hijack hurt impersonat
    inability inaccura incompatib inconsisten incorrect inefficien infeasib insecur instabil
    interrupt invalid irrecoverab latenc leak limit livelock lock-in lockin lose losing loss lost
    malicious misbehav misconfigur mislead mismatch mistake misus orphan outage overflow overhead
    overload overwhelm panic penalt problem regress reject revert risk slow spam stale starv steal
    stolen stuck suffer surpris tamper threat throttl timeout trouble unable unauthori unavailab
    unbounded undefined undesir unexpected uninten unpredictab unrecoverab unreliab unresponsive
    unsafe unschedulable unsound unstable unsupported unusable violat vulnerab wast weaken worse
    wrong
"""
_BURDEN_STEMS = """
    additional ambigu annoy barrier bloat boilerplate cannot challeng clutter complicat cumbersome
    effort footgun frustrat impact impossible inadvertent inconvenien increas lack larger
    longer maint manual opaque redundan tedious tradeoff ugly unclear verbos
"""
_CONSEQUENCE_WORDS = """
    block blocks blocked blocking broke bug bugs extra fine fines fined miss misses missed missing
    pain pains painful painfully race races
"""
CONSEQUENCE = re.compile(
    rf"\b(?:(?:{'|'.join((_CONSEQUENCE_STEMS + _BURDEN_STEMS).split())})\w*"
    rf"|(?:{'|'.join(_CONSEQUENCE_WORDS.split())})\b(?!-)"
    r"|can't\b|foot-gun|hard to\b|learning curve"
    r"|more (?:code|effort|memory|requests|resources|space|time|work)\b"
    r"|no (?:longer|way)\b|not (?:be )?(?:able|available|compatible|possible|supported)\b"
    r"|one more\b|requires? (?:changes?|more)\b|trade-off)",
    re.IGNORECASE,
)
QUANTITY = re.compile(
    r"[$€£]\s?\d|\b\d[\d.,]*\s?(?:%|percent\b|ms\b|s\b|sec|min|hour|day|week|month|year|user|"
    r"customer|client|request|eur\b|usd\b|dollar|euro)",
    re.IGNORECASE,
)
NEGATIVE_VERB = re.compile(
    r"\b(?:add|cannot|can't|cut|decreas|down|extend|increas|not|off|reduc|shrink|wait|without)\w*",
    re.IGNORECASE,
)
