"""Whether a requirement says what a system does or how well it does it.

Signs of the qualities of ISO/IEC 25010 and of a service's setting on one side, of an ability that
is given to somebody on the other; each sign has a weight and the sum decides.
"""

from __future__ import annotations

import re

_SIGNS: tuple[tuple[str, str], ...] = (
    (
        "hours",
        r"\b\d+ ?(?::\d\d ?)?[ap]\.?m\b|\b24 ?(?:/|x|hours)|(?:hours|days) (?:per|a|of the|"
        r"every)\b|"
        r"business hours|\bup ?-?time\b|\bdown ?-?time\b|\bavailab(?:le|ility) (?:for use|at|"
        r"during|"
        r"whenever|\d|to|24)|\bhigh(?:ly)? availab\w+|\d+ ?% (?:of the )?(?:time|up)",
    ),
    (
        "speed",
        r"\bno (?:more|longer|later|greater|slower) than\b|\b(?:less|fewer|under|within|at most|"
        r"maximum of|up to|not exceed\w*|in) (?:than )?(?:an? |one |\d[\d.]* ?|two |three |five |"
        r"ten )"
        r"(?:\w+ ){0,2}?(?:ms|milli\w+|sec\w*|min(?:ute)?s?|hours?|days?)\b|response times?|"
        r"\bresponsive|\b(?:acceptable|reasonable|real|short) (?:amount of )?time\b|\blatency|"
        r"\bthroughput|\bperforman\w+|\bfast\w*|\bquick\w*|\bspeed|\befficien\w+|\bdelay|"
        r"\bevery (?:hour|\d+ (?:sec|min))\w*|\binstant\w*|\bimmediately",
    ),
    (
        "load",
        r"\b(?:simultaneous|concurrent)\w*|\bat the same time\b|\d+ (?:\w+ )?(?:users|requests|"
        r"transactions|customers|connections|records|clients)\b|\bmultiple (?:remote )?users\b|"
        r"\bscal(?:e|es|able|ability)\b|\bcapab\w+ of (?:handling|processing|supporting)|"
        r"\bcapacity|"
        r"\bexpected to (?:grow|handle|manage|support)|\bhigh (?:number|volume)|\bpeak\b|"
        r"\bable to (?:handle|support|accommodate|process)\b|\baccommodate|\bmemory|\bdisk|"
        r"\b(?:mega|giga|kilo|tera)?bytes?\b|\b\d+ ?[mgkt]b\b|\bbandwidth|\bnumber of users",
    ),
    (
        "ease",
        r"\beas(?:y|e|ily|ier)\b|\bintuitive\w*|\blearn\w*|\btraining\b|\btrained\b|"
        r"\bunderstand\w*|"
        r"\bself[- ]expl\w+|\bread(?:able|ability)\b|\buser[- ]friend\w+|\busab\w+|\bsimple\b|"
        r"\bwithout (?:\w+ )?(?:instruction|training|help|assistance|confusion)|"
        r"\bfirst[- ]time users?"
        r"|\bsurvey|\bhelp (?:system|files?|messages?)|\bclicks?\b|\bsuccessful(?:ly)?\b|"
        r"\bsatisf\w+|"
        r"\bnovice|\bexperience|\baccessib(?:le|ility) (?:for|to) (?:the )?(?:blind|disab\w+|"
        r"people)|"
        r"\blanguages?\b|\blocali[sz]\w+|\bunambiguous|\bconvenien\w+|\bfamiliar\w*|\bterminology|"
        r"\bnomenclature|\bself-evident|\bnavigat\w+|\b\d+ ?% of (?:\w+ ){0,4}users",
    ),
    (
        "look",
        r"\bappeal\w*|\battractive|\bappearance|\blook(?:s)?(?: and feel)?\b|\bprofessional\b|"
        r"\bstyles?\b|\blogos?\b|\bbrand\w*|\bcolou?r\w*|\bfonts?\b|\bresolution|\bpixels?|"
        r"\bscheme|"
        r"\bscreens?\b|\btheme|\blayout|\bsimulat\w+|\bsounds?\b|\bgraphic\w*|"
        r"\binterfaces? (?:shall|"
        r"must|should|will)\b|\bconsisten\w+|\bstandard (?:menus?|buttons?)|\bdesign(?:ed)?\b",
    ),
    (
        "setting",
        r"\bbrowsers?\b|\bwindows\b|\blinux\b|\bunix\b|\bmac ?os\b|\bios\b|\bandroid\b|\bpalm\b|"
        r"\boperating (?:systems?|environment)|\bplatforms?\b|\benvironments?\b|\bhardware\b|"
        r"\binterfaces? with\b|\binterface between|\bintegrat\w+ (?:with|into)|\brun(?:s|"
        r"ning)? (?:on|"
        r"in|under|using)\b|\boperate (?:on|in|with|within)\b|\bservers?\b|\binternet\b|\bintranet|"
        r"\bcompatib\w+|\binteroperab\w+|\bweb[- ]based|\bhtml\b|\bjava\b|\b\.net\b|\bsql\b|"
        r"\bapis?\b|"
        r"\bdevelop(?:ed|ment) (?:using|in|with|for)|\bwritten in\b|\bdatabase|\bnetwork\b|\bwifi|"
        r"\bport(?:able|ability)\b|\bdeploy\w*|\binstall\w*|\bmobile\b|\bdevices?\b|\bpc\b|\bos\b|"
        r"\bprotocols?\b|\bhttps?\b|\btcp|\bconnect(?:ion|ed|s)? (?:to|with)|\bexport\w*",
    ),
    (
        "law",
        r"\bcompl(?:y|ies|iance|iant)\b|\bconform\w*|\bregulat\w+|\blaws?\b|\blegal\w*|"
        r"\bstandards?\b|"
        r"\bguidelines?\b|\bpolic(?:y|ies)\b|\baudit\w*|\baccordance|\blicen[cs]\w+|\bcertif\w+|"
        r"\bgdpr\b|\bhipaa\b|\biso\b|\bcopyright|\boffen[sd]\w*|\bdisclaim\w*|\bproprietary",
    ),
    (
        "upkeep",
        r"\bmaintain(?:able|ability|ed|ers?)|\bmaintenance|\b(?:product|system|application|"
        r"software) "
        r"updates?\b|\breleases?\b|\bversions?\b|\bdocument(?:ed|ation)\b|\bsource code|"
        r"\bdevelopers?\b|"
        r"\bprogrammers?\b|\bmodular\w*|\btest(?:ed|able|ability|ing)\b|\bextensib\w+|\breusab\w+|"
        r"\bupgrad\w+|\bconfigurab\w+|\bmodif(?:y|ied) (?:the )?code|\bfuture\b|\bbugs?\b|\bportal",
    ),
    (
        "safety",
        r"\bsecur\w+|\bauthori[sz]\w+|\bunauthori[sz]\w+|\bauthentic\w+|\bencrypt\w*|"
        r"\bpasswords?\b|"
        r"\baccess (?:rights?|levels?|control|constraints?|privileges?|to)\b|"
        r"\bonly (?:\w+ ){0,5}(?:can|"
        r"may|shall|will|be|have|has|are|is|users?|those|the|with)\b|\blog(?:ged)? ?(?:in|out|"
        r"off|on)\b|"
        r"\blogin|\bpermissions?\b|\bprivileges?|\brestrict\w*|\bprevent\w*|\bintegrity|"
        r"\bmalicious|"
        r"\bprotect\w*|\bprivacy|\bprivate|\bconfidential\w*|\bvirus\w*|\battack\w*|\bharm\w*|"
        r"\bsafe\w*|"
        r"\b(?:not|cannot) (?:be )?(?:able|allowed|accessible|viewable|disclos\w+|reveal\w*|"
        r"expos\w*|"
        r"permit\w*|directly)|\bsensitive|\bidentity|\bcredentials?|\broles?\b|\bvalidat\w+",
    ),
    (
        "faults",
        r"\breliab\w+|\bfault\w*|\bfail(?:s|ures?|over)?\b|\brecover\w*|\brestor\w+|"
        r"\bback ?-?ups?\b|"
        r"\berrors?\b|\brobust\w*|\bcrash\w*|\boffline\b|\bunavailable|\bredundan\w+|\bloss\b|"
        r"\bcorrupt\w*|\btoleran\w+|\bdurab\w+|\baccura\w+|\bprecis\w+|\bdegrad\w+|\bstab(?:le|"
        r"ility)",
    ),
    (
        "extent",
        r"\d+ ?%|\b(?:at all|all the) times?\b|\balways\b|\bwhenever\b|\bminimum of|\bat least\b|"
        r"\bat most\b|\baverage\b|\d+ years?\b|\bminimal|\bas (?:\w+) as possible|\bregardless",
    ),
    ("figure", r"\d"),
    (
        "ability",
        r"\b(?:allow|enabl|let|permit)\w* (?:an? |the |any |all |each )?(?:\w+ ){0,3}?(?:to|users?|"
        r"customers?)\b|\b(?:ability|option|able|way|means|facility) (?:to|for|of)\b|"
        r"\bprovide (?:an?|the|"
        r"users?)\b",
    ),
    (
        "act",
        r"\b(?:shall|will|must|should|to|can|and|or|may) (?:be able to |be |also |automatically )?"
        r"(?:add(?:ed)?|view|edit|search|creat|select|enter|delet|display|retriev|print|list|show|"
        r"notify|send|sent|stor|record|generat|assign|updat|remov|calculat|comput|filter|sort|"
        r"upload|"
        r"download|choos|set|track|save|mark|chang|cancel|book|order|pay|accept|request|receiv|"
        r"prompt|"
        r"contain|includ|consist|specif|defin|import|query|present|track|schedul|play|post|comment|"
        r"rat|vot|rank|writ|read|submit|confirm|issu|get|give|keep|verif|check|contact|manag|"
        r"initiat)"
        r"\w*\b",
    ),
    ("many acts", r"\b(?:add|view|edit|delete|modify|update|remove|create)\w*,? (?:and|or) \w+"),
    (
        "person acts",
        r"^(?:an? |the |all |each |every )?(?:\w+ ){0,3}?(?:users?|administrators?|"
        r"managers?|customers?|members?|staff|players?|realtors?|owners?|supervisors?|"
        r"callers?)(?:/\w+)?"
        r"(?: \w+){0,2} (?:shall|must|can|will|should|may)\b",
    ),
    ("when", r"^(?:when|if|upon|after|once)\b"),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _SIGNS)
NAMES = tuple(name for name, _ in _SIGNS)


def quality_signs(text: str) -> list[str]:
    """The names of the signs that ``text`` shows."""
    return [name for name, pattern in _COMPILED if pattern.search(text)]
