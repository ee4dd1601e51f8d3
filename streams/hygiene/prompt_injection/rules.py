"""What text that is aimed at a model looks like: the pattern families.

Project documents speak of rules, prompts, tokens and agents all day, so a pattern asks for more
than its trigger word: override wording, a second person, an imperative at the start of a
sentence, or an addressee. Each rule names literals (``anchors``) without which it cannot match;
its pattern is tried on the few characters around an anchor only, which keeps the time linear.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from schemas.events.hygiene import AnnotationType, Severity
from streams.hygiene.prompt_injection.languages import list_orders


class Rule(NamedTuple):
    """A pattern over lower-case text, looked for from ``back`` characters before an anchor."""

    rule_id: str
    type: AnnotationType
    severity: Severity
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    back: int = 0
    words: frozenset[str] = frozenset()  # a text with none of these holds no match
    also: frozenset[str] = frozenset()  # neither does one with none of these, unless it is empty
    is_latin: bool = True  # otherwise every anchor has a letter of another script


OTHER_SCRIPT = re.compile("[\u0370-\u1cff\u3040-\ud7ff]")  # than Latin, of those in the rules
REACH = 240  # characters after an anchor within which a match must end
START = r"(?:^|(?<=[\n.!?:;>\"'*(#|]))[ \t\n]{0,4}(?:[-*>#\d.)|]{1,4}[ \t]{1,3})?"
FEW_WORDS = r"(?:[\w'’,-]+\s+){0,4}?"
EARLIER = (
    r"(?:previous|above|prior|preceding|earlier|former|foregoing|existing|initial|original"
    r"|past|system)"
)
ORDERS = (
    r"(?:instruction|prompt|rule|guideline|directive|order|command|direction|task|assignment"
    r"|message"
    r"|conversation|context|programming|training|restriction|constraint|polic(?:y|ies)|filter)s?"
)
PERSONA_EXCEPT = (
    r"(?!ready|able|set\b|done|logged|connected|in\b|on\b|using|running|finished|good|free"
    r"|at\b|inside"
    r"|going|required|allowed|asked|viewing|seeing|looking|working|up\b|expected|subscribed"
    r"|signed|left"
    r"|a (?:maintainer|member|contributor|committer|owner|validator|reviewer)|responsible"
    r"|prompted|back"
    r"|authenticated|in the|faced|dealing|prepared|configured|building|creating|trying|editing|one)"
)
ANSWER = r"(?:answers?|response|reply|replies|output|summary|explanation|translation)"
ADDRESSEE = (
    r"(?:assistants?|ai|a\.i\.|llms?|language models?|chat ?bots?|chatgpt|gpt|claude|copilot|gemini"
    r"|ai (?:agents?|models?)|coding agents?|agents?|models?)"
)
CLEAR_ADDRESSEE = (
    r"(?:(?:ai|coding|llm|code|language)[ -](?:assistants?|agents?|models?)|assistants?|llms?"
    r"|chat ?bots?"
    r"|chatgpt|gpt|claude|copilot|gemini|ais?)"
)


def _rule(
    rule_id: str,
    kind: AnnotationType,
    severity: Severity,
    anchors: str,
    pattern: str,
    back: int = 0,
    also: str = "",
) -> Rule:
    own = tuple(anchors.split(";"))
    telling = _find_telling_words(own)
    return Rule(
        *(rule_id, kind, severity, own, re.compile(pattern), back, telling),
        also=frozenset(also.split()),
        is_latin=not all(OTHER_SCRIPT.search(anchor) for anchor in own),
    )


def _find_telling_words(anchors: tuple[str, ...]) -> frozenset[str]:
    """For each anchor one whole word that a match needs; empty when an anchor has no such word."""
    words: set[str] = set()
    for anchor in anchors:
        whole = re.findall("[a-z]{2,}", anchor)
        if not whole:
            return frozenset()
        words |= {whole[0], f"{whole[0]}s"}
    return frozenset(words)


ENGLISH_RULES = (
    _rule(
        "A-IGNORE", "prompt_injection", "high", "ignore;disregard;forget;override;bypass",
        r"(?<!\w)(?:ignore|disregard|forget|override|bypass)(?:\s+about)?\s+"
        rf"(?:{FEW_WORDS}{EARLIER}\s+(?:[\w'’]+\s+){{0,3}}?{ORDERS}\b"
        rf"|(?:all|any|every|each|these|those|your|my)\s+(?:of\s+)?(?:the\s+|your\s+|my\s+"
        rf"|these\s+)?"
        rf"(?:[\w'’]+\s+)?{ORDERS}\b(?!\s*(?:file|engine|set\b|which|that are))"
        r"|(?:all|everything|anything|whatever)\s+(?:(?:that|of|which)\s+)?(?:\w+\s+){0,3}?"
        r"(?:before|above|previous\w*|prior|so far|told|said|know|learned|learnt|written)\b"
        r"|(?:everything|all|it all)\s*[.!,]"
        rf"|(?:the\s+)?(?:{ORDERS}|text|content|documents?)\s+(?:above|before|so far)\b)",
    ),
    _rule(
        "A-IGNORE", "prompt_injection", "high", "abweichend;entgegen",
        r"(?:abweichend|entgegen)\b[^.\n]{0,60}?\b(?:vorherig|bisherig|vorangegangen|obig|anweisung"
        r"|instruktion|befehl|aufgabe)\w*",
    ),
    _rule(
        "A-IGNORE", "prompt_injection", "high", "ignorieren;nicht beachten",
        r"(?:obigen|vorherigen|bisherigen|vorangegangenen)\s+\w+\s+(?:zu\s+)?"
        r"(?:ignorieren|nicht beachten)\b",
        back=60,
    ),
    _rule(
        "A-IGNORE", "prompt_injection", "high", "your instructions are now;your instructions to",
        r"your instructions (?:are now|to (?:the following|this))\b",
    ),
    _rule(
        "A-ROLE", "prompt_injection", "high", "you are now;now you are",
        rf"(?:you are now|now you are)\s+(?:going to be\s+)?{PERSONA_EXCEPT}(?=\w)[^\n.]{{2,60}}",
    ),
    _rule(
        "A-ROLE", "prompt_injection", "high", "from now on",
        r"from now on,?\s+(?:you\b|your\b|always\b|never\b|act\b|respond|answer|speak|only\b"
        r"|pretend)",
    ),
    _rule(
        "A-ROLE", "prompt_injection", "high", "act as;acting as",
        rf"(?:{START}(?:please\s+|now\s+|then\s+)*|\b(?:you|must|should|please|now"
        rf"|to)\s+(?:will\s+|to\s+"
        r"|now\s+)?(?<!used to )(?<!able to )(?<!has to )(?<!have to )(?<!intended to ))"
        r"act(?:ing)? as\s+(?:if you|though you|an?\s+(?:ai|unrestricted|evil|expert|linux|dan"
        r"|character"
        r"|assistant|pirate|person|professional|\w+\s+(?:assistant|expert|teacher|advisor|terminal)"
        r"|story ?teller|interviewer|comedian|poet|teacher|doctor|journalist|translator"
        r"|hacker)|dan\b"
        r"|my\s+\w+|two entities|the (?:following )?(?:character|persona))",
        back=40,
    ),
    _rule(
        "A-ROLE", "prompt_injection", "high", "pretend",
        rf"(?:{START}(?:please\s+|now\s+|let'?s\s+)*|\b(?:you|please|must|should)\s+(?:to\s+)?)"
        r"pretend\s+(?:to be|you|that you|as if|like you)\b",
        back=24,
    ),
    _rule(
        "A-ROLE", "prompt_injection", "high",
        "i want you to;want you to act;developer mode;jailbreak",
        r"i want you to\s+(?:act|be\b|become|behave|pretend|play|respond|answer|only|ignore"
        r"|forget|write"
        r"|say|tell)|(?:enter|enable|activate|switch to"
        r"|in)\s+(?:\w+\s+)?developer mode\s+(?:enabled|now"
        r"|and)|you (?:have been|are|were) jailbr\w+|jailbreak (?:mode|prompt)",
        back=30,
    ),
    _rule(
        "A-ROLE", "prompt_injection", "high", "du bist jetzt;nun bist du;ab jetzt;jetzt bist du",
        r"(?:du bist (?:jetzt|nun)|(?:nun|jetzt) bist du|ab jetzt (?:bist|antworte|sprich"
        r"|wirst))\b",
    ),
    _rule(
        "A-SYSTEM", "prompt_injection", "high",
        "<|;[inst];[/inst];<<sys>>;[system;<start_of_turn>;<end_of_turn>;</system",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|end_of_turn|eot_id|start_header_id"
        r"|end_header_id|begin_of_text|end_of_text)\|>|\[/?inst\]|<<sys>>|<(?:start|end)_of_turn>"
        r"|</system(?:[_-]?(?:prompt|message|reminder|instructions?))?>"
        r"|\[system\](?:\s*\(#|:)|\[system (?:message|prompt|override|notice|note|instruction)s?\b",
    ),
    _rule(
        "A-SYSTEM", "prompt_injection", "high",
        "system;developer;admin;assistant;human:;### instruction",
        r"(?:^|(?<=\n))[ \t>*_\[(#-]*(?:(?:system|developer|admin(?:istrator)?)(?: (?:message"
        r"|prompt|override|update|notice|note|alert|instruction|command)s?)?|assistant|human)"
        r"[\])*_]{0,3}:[\])*_]{0,3}[ \t\n]+"
        r"(?:you\b|your\b|please\b|ignore|disregard|forget|override|from now|new instruction"
        r"|do not|don't|never|always|the assistant|the user|all (?:previous|prior)|reveal|print"
        r"|output|respond|reply|answer|mark|approve|treat|pretend|act as)"
        r"|(?:^|(?<=\n))### ?(?:instruction:?[ \t]*(?=\n|$)|instruction:|system(?: prompt|:))",
        back=12,
    ),
    _rule(
        "A-SYSTEM", "prompt_injection", "high",
        "new instruction;updated instruction;real instruction;new system;updated system",
        r"(?:\bend (?:of )?(?:the )?(?:(?:system|user|original) )?"
        r"(?:prompt|instructions?|context|input|document|conversation|message|text)s?"
        r"[\s.\])}>=*#:-]{1,16}(?:(?:begin|start)(?: of)? )?"
        r"(?:new|updated|real) (?:system )?(?:prompt|instruction)s?\b"
        r"|(?:^|(?<=\n))[ \t=*#\[(<{-]*(?:new|updated|real) (?:system (?:prompt|instruction)s?"
        rf"|instructions? (?:for|to) (?:the |any |all )?{CLEAR_ADDRESSEE})[\])*_]{{0,3}}:)",
        back=60,
    ),
    _rule(
        "A-SYSTEM", "prompt_injection", "high",
        "prompt;your instruction;your rules;instructions above",
        r"\b(?:reveal|print|repeat|show|display|output|tell|give|leak|disclose|share|return"
        r"|write|say"
        r"|provide|list|what (?:is|are|was|were)|spell|summari[sz]e|show(?:ing)?)\s+(?:out\s+"
        r"|down\s+|me\s+"
        r"|us\s+|all\s+|of\s+|the\s+|your\s+|my\s+){0,4}"
        r"(?:(?:full|exact|entire|complete|whole|secret|hidden|first|last)\s+)?"
        r"(?:system prompts?|(?:initial|original|hidden|secret|previous|above|preceding|full"
        r"|prompt)\s+"
        r"(?:prompts?|instructions?|texts?)|(?<=your )(?:prompts?|instructions?|rules|guidelines)"
        r"|prompt texts?|instructions above)",
        back=70,
    ),
    _rule(
        "A-EXFIL", "prompt_injection", "high",
        "secret;token;credential;password;api key;conversation;chat history;private key;cookie"
        ";environment variable",
        rf"(?:{START}(?:please\s+|then\s+|and\s+|now\s+|also\s+)*|\byou (?:must|should|will"
        rf"|need to|have to)"
        r"\s+)(?:send|post|upload|e-?mail|forward|transmit|exfiltrate|leak|deliver)\s+(?:me\s+)?"
        r"(?:[\w'’-]+\s+){0,6}?"
        r"(?:(?:secret|token|credential|password|api key|private key|cookie|environment variable)s?"
        r"|conversation|chat history)\b[^\n.]{0,60}?\bto\s+(?:https?:|me\b|my\b"
        r"|[\w.+-]+@|attacker)",
        back=90,
        also="send post upload email mail forward transmit exfiltrate leak deliver",
    ),
    _rule(
        "A-EXFIL", "prompt_injection", "high", "exfiltrate",
        r"exfiltrate\s+(?:the|all|any|your|every)\b[^\n.]{0,60}",
    ),
    _rule(
        "A-EXFIL", "prompt_injection", "high", "![",
        r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,120}[?&][\w-]{1,30}=(?:\{|<|\$\{|%7b"
        r"|\[)[^)\n]{1,80}\)",
    ),
    _rule(
        "A-TOOL", "prompt_injection", "medium", " tool; function; command",
        rf"(?:\b{CLEAR_ADDRESSEE}\b[,:]?\s+(?:please\s+|must\s+|should\s+|you must\s+|now\s+)*"
        r"(?:call|run|execute|invoke|use)\s+(?:[\w`'’./-]+\s+){0,4}?(?:tool|function|command)s?\b"
        rf"|{START}(?:please\s+)?(?:call|execute|invoke)\s+(?:your"
        rf"|one of your)\s+(?:[\w`'’./-]+\s+){{0,2}}?"
        r"(?:tool|function)s?\b)",
        back=80,
    ),
    _rule(
        "A-OUTPUT", "prompt_injection", "medium",
        "only with;respond with;reply with;answer with;output exactly;just say;respond in"
        ";answer in",
        rf"(?:(?:respond|reply|answer)\s+(?:to\s+\w+\s+)?(?:only|exclusively|solely"
        rf"|just)\s+(?:with|in)\b"
        rf"|(?:{START}|you (?:must |should |will )?)only\s+(?:respond|reply|answer)\s+(?:with|in)\b"
        rf"|{START}(?:please\s+|you must\s+|always\s+)*(?:output exactly\b|just say\b"
        rf"|(?:respond|reply"
        r"|answer)\s+(?:with exactly|in the (?:style|voice|manner))))",
        back=40,
    ),
    _rule(
        "A-OUTPUT", "prompt_injection", "medium",
        "your answer;your response;your reply;your replies;your output;the answer",
        rf"(?:your\s+{ANSWER}\s+(?:must|should|shall|has to|needs? to|will)\s+(?:only\s+"
        rf"|always\s+|not\s+)*"
        r"(?:be|contain|include|start|begin|end|consist|use|have|sound)\b"
        rf"|{START}(?:please\s+|also\s+|always\s+|then\s+)*(?!thank|see\b|if\b|i\b|we\b|the\b"
        rf"|this\b|for\b|in\b|to\b"
        r"|your\b|as\b|and\b|based\b|what\b|is\b|are\b|it\b|what\b|re\b|looking\b|after\b"
        r"|with\b|from\b)"
        r"[a-z-]{3,14}\s+[^\n.?!]{0,100}?\b(?:in|of|to|into|from|within|throughout"
        r"|at the (?:end|start"
        rf"|beginning) of)\s+your\s+(?:next\s+)?{ANSWER}\b"
        rf"|{START}(?:in|to|at the (?:end|start"
        rf"|beginning) of)\s+your\s+{ANSWER},?\s+[a-z]{{3,14}}\b)",
        back=150,
        also="your",
    ),
    _rule(
        "A-IMPER", "instruction_like", "low",
        "assistant;llm;language model;chatbot;chatgpt;claude;copilot; ai ; ai,;agents;agent,"
        ";model,",
        r"(?:^|(?<=\n))[ \t]*(?:[-*>#]{1,3}[ \t]+|\d{1,3}[.)][ \t]+)?"
        rf"(?:(?:(?:hey|dear|attention|note to|to)\s+(?:all\s+|any\s+"
        rf"|the\s+)?)?{ADDRESSEE}[,:!]\s+(?:you\b"
        r"|please\b|do not\b|always\b|never\b|use\b|make\b|run\b|add\b|write\b|read\b|follow\b"
        r"|ensure\b)"
        r"|(?:please\s+|always\s+|never\s+|do not\s+|don't\s+)?(?:tell|ask|instruct|have|let"
        r"|make|use|write"
        r"|answer|respond|remember|follow|treat|say|give|stop|ensure|read|run|reply|act|assume"
        r"|summari[sz]e)"
        rf"\b[^\n.]{{0,80}}?(?:\bas an?\s+{CLEAR_ADDRESSEE}|\b(?:the|any|every"
        rf"|this)\s+{CLEAR_ADDRESSEE}\s+"
        rf"(?:to|must|should)\b|,\s+{ADDRESSEE}\b\s*[,.!]))",
        back=110,
    ),
)  # fmt: skip
LANGUAGE_RULES = tuple(
    _rule(it.rule_id, "prompt_injection", "high", ";".join(it.anchors), it.pattern, it.back)
    for it in list_orders()
)
RULES = ENGLISH_RULES + LANGUAGE_RULES
