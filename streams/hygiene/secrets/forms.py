"""Secrets that show themselves by their form: published shapes of keys and tokens.

A form is one expression tied to literals, its anchors, that every match holds. ``SHORT_FORMS``
lie within one word of at least ``SHORTEST_WORD`` characters, so that they are looked for in the
long words of a text only; ``OPEN_FORMS`` may hold blanks or be shorter. ``R-VENDOR`` gathers
the services without a rule of their own. A service that gives its keys no prefix of their own can be
told by a name beside them only, which is ``assigned.py``'s part.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import NamedTuple

from streams.hygiene.secrets.command_forms import COMMANDS

# Words behind which a user and a password are told, in the languages of most teams.
LOGINS = (
    "login", "credentials", "creds", "zugangsdaten", "anmeldedaten", "identifiants", "credenciales",
    "credenziali", "inloggegevens", "credenciais", "логин", "acceso",
)  # fmt: skip
# Calls that take a user and a password, in this order.
CALLS = (
    "auth=(", "basicauth(", "basic_auth(", ".login(", "networkcredential(", "passwordcredentials(",
    "passwordauthentication(", "plainauth(", "basic.credentials(",
)  # fmt: skip
SHORTEST_WORD = 16
WORD_BEFORE = -1  # ``backwards``: as far as the word reaches that the anchor stands in
END = r"(?![A-Za-z0-9])"


class Form(NamedTuple):
    """A secret that shows itself; ``group`` is the part to take away.

    ``backwards``: the expression starts up to so many characters before the anchor.
    ``beside``: what the text must hold too.
    """

    rule_id: str
    type: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    group: int = 0
    backwards: int = 0
    beside: str = ""


def _form(
    rule_id: str,
    kind: str,
    anchors: str,
    pattern: str,
    group: int = 0,
    backwards: int = 0,
    beside: str = "",
    ends: bool = False,
) -> Form:
    """``ends``: the value has the length that its service gives out, and no more."""
    begun = rf"(?<![A-Za-z0-9])(?:{pattern})" if group == 0 else pattern
    compiled = re.compile(begun + END if ends else begun)
    listed = tuple(_anchors(anchors))
    return Form(rule_id, kind, listed, compiled, group, backwards, beside)


def _anchors(listed: str) -> list[str]:
    """``a b`` is two anchors; a blank at the end belongs to the last."""
    words = listed.split()
    return [*words[:-1], words[-1] + " "] if listed.endswith(" ") else words


def _service(anchors: str, pattern: str, backwards: int = 0) -> Form:
    return _form("R-VENDOR", "SERVICE_TOKEN", anchors, pattern, 0, backwards, ends=True)


def _commands() -> Iterator[Form]:
    for commands, behind in COMMANDS:
        begun = "|".join(map(re.escape, commands))
        pattern = re.compile(rf"(?<![\w.-])(?:(?i:{begun})){behind}")
        yield Form("R-ASSIGN", "SECRET_VALUE", commands, pattern, 1)


UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# How the base64 of a number begins, which is how a bot's token of Discord does.
NUMBERS = " ".join(base64.b64encode(b"%d" % it).decode().rstrip("=") for it in range(10, 100))
SHORT_FORMS = (
    _form("R-AWS-ID", "AWS_ACCESS_KEY_ID", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16}", ends=True),
    _form(
        "R-GH", "GITHUB_TOKEN", "ghp_ gho_ ghu_ ghs_ ghr_",
        r"gh[pousr]_(?:[A-Za-z0-9]{36,}+|[0-9]{1,20}_eyJ[\w.-]{36,}+)",
    ),
    _form("R-GH", "GITHUB_TOKEN", "github_pat_", r"github_pat_[A-Za-z0-9_]{40,}+"),
    _form("R-GL", "GITLAB_TOKEN", "glpat-", r"glpat-[A-Za-z0-9_.-]{20,}+"),
    _form(
        "R-GL", "GITLAB_TOKEN",
        "gldt- glrt- glptt- glcbt- glimt- glft- glagent- gloas- glsoat- glffct- glwt-",
        r"gl(?:dt|rt|ptt|cbt|imt|ft|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.-]{20,}+",
    ),
    _form(
        "R-SLACK", "SLACK_TOKEN", "xoxa- xoxb- xoxp- xoxr- xoxs- xoxe. xoxe-",
        r"xox[abprse][-.](?=(?:[A-Za-z.-]{0,30}[0-9]){5})[A-Za-z0-9.-]{16,}+",
    ),
    _form("R-SLACK", "SLACK_TOKEN", "xapp-", r"xapp-[0-9A-Za-z/-]{20,}+"),
    _form(
        "R-SLACK", "SLACK_TOKEN", "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,}+)", 1,
    ),
    _form("R-ATL", "ATLASSIAN_TOKEN", "ATATT ATCTT", r"AT[AC]TT[A-Za-z0-9_=-]{20,}+"),
    _form(
        "R-GOOG", "GOOGLE_API_KEY", "AIza GOCSPX- ya29. 1//0",
        r"AIza[A-Za-z0-9_-]{35}|GOCSPX-[\w-]{24,}+|ya29\.[\w-]{30,}+|1//0[\w-]{40,}+", ends=True,
    ),
    _form(
        "R-LLM", "MODEL_API_KEY", "sk-",
        r"sk-(?:(?:ant|or|proj|svcacct|admin)-[\w-]{8,}+|[\w-]{20,}+)",
    ),
    _form("R-LLM", "MODEL_API_KEY", "gsk_ xai- csk- pplx-", r"(?:gsk_|xai-|csk-|pplx-)\w{20,}+"),
    _form(
        "R-LLM", "MODEL_API_KEY",
        "hf_ api_org_ r8_ nvapi- tvly- jina_ pcsk_ lsv2_ fc- sk_ sess- pa-",
        r"(?:hf|api_org)_[A-Za-z0-9]{30,}+|r8_[A-Za-z0-9]{37}|nvapi-[\w-]{50,}+"
        r"|tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}+|jina_[A-Za-z0-9]{50,}+"
        r"|pcsk_[A-Za-z0-9_]{40,}+"
        r"|lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}|fc-[0-9a-f]{32}|sk_[0-9a-f]{48}"
        r"|sess-[A-Za-z0-9]{40}|pa-[\w-]{43}", ends=True,
    ),
    _form(
        "R-STRIPE", "STRIPE_KEY", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
        r"(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9+/=]{10,}+",
    ),
    _form("R-JWT", "JWT", "eyJ", r"(?<![\w-])eyJ[\w-]{6,}+\.[\w-]{4,}+\.[\w-]{4,}+"),
    # private keys in DER without their border lines: PKCS#1 and PKCS#8, SEC 1, Ed25519
    _form(
        "R-PEM", "PRIVATE_KEY", "MII MIG MIH MHc MC4",
        r"M(?:II[A-Z][\w+/]{2}IBA(?:AK[BC]|DANBgkq)|I[GH][\w+/]{1,2}AgE(?:AM|BB)|HcCAQEEI|C4CAQAw)"
        r"[\w+/-]{30,}+={0,2}",
    ),
    # secrets of infrastructure and hosting
    _service("hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{24,}+"),
    _service(".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}+", 14),
    _service("dckr_", r"dckr_(?:pat|oat)_[\w-]{20,}+"),
    _service("doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _service("ABSK", r"ABSK[A-Za-z0-9+/]{100,}+={0,2}"),
    _service("LTAI AKID", r"LTAI[A-Za-z0-9]{12,}+|AKID[A-Za-z0-9]{32}"),
    _service("HRKU- fo1_ nfp_ rnd_", r"HRKU-[\w-]{36,}+|fo1_[\w-]{43}|nfp_\w{36,}+|rnd_\w{28,}+"),
    _service("fm1a_ fm1r_ fm2_", r"fm(?:1[ar]|2)_[A-Za-z0-9+/=]{60,}+"),
    _service("vcp_ vci_ vca_ vcr_ vck_", r"vc[piark]_[A-Za-z0-9]{24,}+"),
    _service("cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_[A-Za-z0-9]{40}[0-9a-f]{8}"),
    _service("v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    _service("pscale_ sbp_ sb_secret_ napi_", r"pscale_(?:tkn|pw|oauth)_[\w.-]{32,}+"
             r"|sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,}+|napi_[a-z0-9]{40,}+"),
    _service("pul- tskey- dapi dkea", r"pul-[0-9a-f]{40}|tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}+"
             r"|(?:dapi|dkea)[0-9A-Fa-f]{32}(?:-[0-9])?"),
    _service("Q~", r"(?<![\w.~-])[\w.~]{3}[0-9]Q~[\w.~-]{31,34}(?![\w.~-])", 5),
    _service("JQQJ99", r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}", 52),
    _service("+ASt ACDb +ACR", r"[A-Za-z0-9+/]{76}(?:\+ASt|ACDb)[A-Za-z0-9+/]{6}==|[A-Za-z0-9+/]{42}\+ACR[A-Za-z0-9]{6}", 76),
    _service("da2- sdk- api-", rf"da2-[a-z0-9]{{26}}|(?:sdk|api)-{UUID}"),
    _service("cflt/ t1.", r"cflt/[A-Za-z0-9+/]{60}|t1\.[\w-]{40,}+\.[\w-]{86}"),
    _service("AccountKey= SharedAccessKey=", r"(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,}+={0,2}"),
    _form("R-VENDOR", "SERVICE_TOKEN", "&sig= ?sig=", r"[&?]sig=([A-Za-z0-9%]{43,}+)", 1),
    _service("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    _service("ops_eyJ A3-", r"ops_eyJ[\w+/=-]{80,}+|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,5}[A-Z0-9]{5}"),
    _service("dp.ct. dp.pt. dp.st. dp.sa. dp.scim. dp.audit.",
             r"dp\.(?:ct|pt|st|sa|scim|audit)\.(?:[\w-]{1,35}\.)?[A-Za-z0-9]{40,}+"),
    _service("dt0", r"dt0[a-zA-Z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    # package registries, builds, code hosts
    _service("npm_ pypi-AgE rubygems_", r"npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{40,}+|rubygems_[0-9a-f]{48}"),
    _service("cio oy2", r"cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43}"),
    _service("AKCp cmVmdGtu", r"AKCp[A-Za-z0-9]{60,}+|cmVmdGtuOj[A-Za-z0-9+/]{50,}+"),
    _service("sqp_ squ_ sqa_ odt_ snyk_", r"sq[pua]_[0-9a-f]{40}|odt_[A-Za-z0-9]{32,}|snyk_[\w-]{30,}+"),
    _service("CCIPAT_ CCIPRJ_ bkua_ bkaj_", r"CCIP(?:AT|RJ)_[A-Za-z0-9_]{20,}+|bk(?:ua|aj)_[0-9a-f]{40}"),
    _service("ATBB BBDC-", r"ATBB[A-Za-z0-9]{24,}+|BBDC-[A-Za-z0-9+@#/]{40,}+"),
    _service("hawk.", r"hawk\.[\w-]{16,}+\.[\w-]{16,}+"),
    _service("pnu_ pnb_ phx_", r"pn[ub]_[A-Za-z0-9]{36}|phx_[A-Za-z0-9]{40,}+"),
    _service("PMAK-", r"PMAK-[0-9a-z]{24}-[0-9a-z]{34}"),
    _service("GR1348941", r"GR1348941[\w-]{20}"),
    _service("CLOJARS_", r"CLOJARS_[0-9a-f]{60}"),
    # observation
    _service("glsa_ glc_ eyJrIjoi", r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|glc_[A-Za-z0-9+/]{32,}+={0,2}"
             r"|eyJrIjoi[A-Za-z0-9+/]{50,}+={0,2}"),
    _service("NRAK- NRAA- NRII- NRIQ- NRRA- NRSP-",
             r"NRAK-[A-Z0-9]{27}|NRAA-[0-9a-f]{27}|NR(?:II|IQ)-[\w-]{32}|NR(?:RA|SP)-[0-9a-f]{42}"),
    _service("sntrys_ sntryu_ hcaik_ hcbik_", r"sntrys_eyJ[\w+/=-]{60,}+|sntryu_[0-9a-f]{64}"
             r"|hc[ab]ik_[a-z0-9]{58}"),
    # messages and people
    _service("SG.", r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    _service("key-", r"key-[0-9a-f]{32}"),
    _service("-us", r"[0-9a-f]{32}-us[0-9]{1,2}", 32),
    _service("xkeysib- xsmtpsib-", r"x(?:keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _service("SK", r"SK[0-9a-f]{32}"),
    _form(
        "R-VENDOR", "SERVICE_TOKEN", ":AA",
        rf"(?:(?<=bot)|(?<![A-Za-z0-9]))([0-9]{{8,10}}:AA[\w-]{{32,}}+){END}", 1, 10,
    ),
    _service(":APA91b", r"AAAA[\w-]{7}:APA91b[\w-]{120,}+", 11),
    _service(NUMBERS, r"[MNO][A-Za-z0-9]{22,27}\.[\w-]{6}\.[\w-]{27,}+"),
    _service("re_", r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{22,}+"),
    _service("1/1 2/1", r"[12]/1[0-9]{15}(?:/1[0-9]{15})?:[0-9a-f]{32}"),
    _service("tkn.v1_ oaa", r"tkn\.v1_[A-Za-z0-9+/=]{60,}+|oaa[A-Za-z0-9]{14}\.v1\.eyJ[\w.+/=-]{60,}+"),
    _form(
        "R-VENDOR", "SERVICE_TOKEN", "hooks.zapier.com/",
        r"hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[a-z0-9]{5,}+)(?![\w-])", 1,
    ),
    _service("live_", r"live_[0-9]{6,12}_[A-Za-z0-9]{30}"),
    _service("AAAAAAAAAAAAAAAAAAAA", r"A{20,24}[B-Za-z0-9%][A-Za-z0-9%]{40,}+"),
    _service("EAAA EAAC EAAB EAAD EAAE EAAF EAAG EAAH", r"EAA[A-Z][A-Za-z0-9+=_-]{56,}+"),
    _form("R-VENDOR", "SERVICE_TOKEN", "/api/webhooks/", r"/api/webhooks/[0-9]{15,20}/([\w-]{60,}+)(?![\w-])", 1),
    _form(
        "R-VENDOR", "SERVICE_TOKEN", "/webhookb2/ /webhook/",
        r"/webhook(?:b2)?/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/([0-9a-f]{32}/[0-9a-f-]{36})", 1,
    ),
    _service("IGQV", r"IGQV[\w-]{60,}+"),
    _service("lin_ ntn_ secret_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}+|ntn_[0-9]{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43}"),
    _service("figd_ figo_ figor_ figoh_ figu_", r"fig(?:d|or?|oh|u)_[\w-]{36,}+"),
    _service("pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _service("pat-na1- pat-eu1-", r"pat-(?:na|eu)[0-9]-[0-9a-f-]{36}"),
    _service("CFPAT- tfp_ rdme_", r"CFPAT-[\w-]{43}|tfp_[\w.=-]{59}|rdme_[a-z0-9]{70}"),
    _service("!AQ", r"00D[A-Za-z0-9]{12,15}!AQ[\w.]{60,}+", 20),
    _service("00D", r"00D[A-Za-z0-9]{12,15}![\w.]{80,}+"),
    _service("sl.", r"sl\.(?:u\.)?[\w-]{100,}+"),
    # money and shops
    _service("sq0 shpat_ shpca_ shppa_ shpss_ shpua_",
             r"sq0[a-z]{3}-[\w-]{22,}+|shp(?:at|ca|pa|ss|ua)_[A-Za-z0-9]{32,}+"),
    _service("access-", r"access-(?:sandbox|development|production)-[0-9a-f-]{36}"),
    _service("rzp_live_ rzp_test_", r"rzp_(?:live|test)_[A-Za-z0-9]{14}"),
    _service("EZAK EZTK shippo_", r"EZ[AT]K[A-Za-z0-9]{54}|shippo_(?:live|test)_[0-9a-f]{40}"),
    _service("FLWSECK duffel_", r"FLWSECK(?:_TEST)?-[0-9a-z]{32}-X|duffel_(?:test|live)_[\w-]{43}"),
    _service("access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}"),
    _service("xprv yprv zprv tprv", r"[xyzt]prv[A-HJ-NP-Za-km-z1-9]{100,}+"),
    _service("amzn.mws.", r"amzn\.mws\.[0-9a-f-]{36}"),
    _service("aio_ p8e- AQVN sk.eyJ", r"aio_[A-Za-z0-9]{28}|p8e-[a-z0-9]{32}|AQVN[\w-]{35,}+|sk\.eyJ[\w-]{60,}+\.[\w-]{22,}+"),
    _service("$2a$ $2b$ $2y$", r"\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}"),
    _service("$apr1$", r"\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    _form("R-VENDOR", "SERVICE_TOKEN", ":{SHA} :{SSHA} :{SMD5}", r":(\{(?:SSHA|SHA|SMD5)\}[A-Za-z0-9+/]{22,}+={0,2})", 1),
    _service("$argon2", r"\$argon2(?:id?|d)\$(?:v=[0-9]{1,3}\$)?[mtp=,0-9]{5,40}\$[A-Za-z0-9+/]{11,64}\$[A-Za-z0-9+/]{20,}+"),
    _service("$6$ $5$ $1$ $y$", r"\$(?:[156]|y)\$[./A-Za-z0-9$=]{1,40}\$[./A-Za-z0-9]{22,}+"),
)  # fmt: skip
OPEN_FORMS = (
    _form(
        "R-URL", "URL_CREDENTIAL", "://",
        r"://[^\s/:@\"'<>`\[\]{}()$]*+:([^\s/@\"'<>`{}$][^\s/\"'<>`{}$]*)@"
        r"(?=[\w.\[-])", 1,
    ),
    # a token in the place of the user: of an address without password, or with one that says so
    _form(
        "R-URL", "URL_CREDENTIAL", "://",
        r"(?:(?<=http)|(?<=https)|(?<=git))://(?=[^@\s]{0,80}[0-9])(?=[^@\s]{0,80}[a-z])(?=[^@\s]{0,80}[A-Z])([\w-]{20,}+):?(?=@[\w.-])", 1,
    ),
    _form(
        "R-URL", "URL_CREDENTIAL", "@/",
        r"[\w.-]{1,60}:([^\s:@/\"'<>(){}$]{4,}+)@/\w", 1, WORD_BEFORE,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "appid=",
        r"(?i:appid)=([0-9a-f]{32,}+|[0-9A-Za-z]{20,}+)(?![\w-])", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "?key= &key= &signature= ?signature= ?code= &code=",
        r"[?&](?:key|signature|code)=(?=[\w%.~-]{0,200}[0-9])(?=[\w%.~-]{0,200}[A-Za-z])([\w%.~-]{24,}+={0,2})", 1,
    ),
    # host:port:database:user:password
    _form(
        "R-ASSIGN", "SECRET_VALUE", ":5432: :5433: :6432: :*:",
        r"(?<![^\s\"'`])[\w.*-]{1,120}:(?:[0-9]{4,5}|\*):[\w*-]{1,60}:[\w.*-]{1,60}:([^\s:\"'`<$]{4,}+)(?=[\"'`\s]|\Z)", 1, WORD_BEFORE,
    ),
    _form("R-URL", "URL_CREDENTIAL", "://", r"://([\w-]{20,}+):x-oauth-basic@", 1),
    _form("R-URL", "URL_CREDENTIAL", "://", r"(?:(?<=http)|(?<=https))://([0-9a-f]{32,}+)(?=@[\w.-])", 1),
    _form("R-URL", "URL_CREDENTIAL", "jdbc:oracle:", r"jdbc:oracle:\w{1,6}:[\w.$-]{1,60}/([^\s/@\"'<>{}$]{4,}+)@", 1),
    _form(
        "R-URL", "URL_CREDENTIAL", "@tcp( @unix(",
        r"[\w.-]{1,60}:([^\s:@/\"'<>(){}$]{4,}+)@(?:tcp|unix)\(", 1, WORD_BEFORE,
    ),
    _form(
        "R-AUTH", "AUTH_HEADER", "authorization",
        r"(?i:authorization)[\"'\])]{0,3}[ \t]{0,4}[:=,(][ \t]{0,4}[\"'`]?"
        r"(?i:bearer|basic|token)[ \t]{1,4}([A-Za-z0-9_+/=.~-]{8,}+)", 1,
    ),
    _form(
        "R-AUTH", "AUTH_HEADER", "curl ",
        r"curl [^\n]{0,200}?(?:-u|--user|--proxy-user)[ =]?[\"']?"
        r"[\w.@-]{1,60}:([^\s\"'$<>{}:\[][^\s\"'<>{}\[]{3,}+)(?=[\s\"'])", 1,
    ),
    _form(
        "R-AUTH", "AUTH_HEADER", "bearer",
        r"(?i:bearer)[\"']?[: ,]{1,3}[\"']?([A-Za-z0-9_+/=.~-]{20,}+)(?![\w$<{])", 1,
    ),
    _form("R-BASIC", "AUTH_HEADER", "basic ", r"(?i:basic) ([A-Za-z0-9+/]{8,}+={0,2})(?![\w=])", 1),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "securestring",
        r"(?i:securestring)[^\n\"']{0,40}[\"']([^\s\"'$<{-][^\"'\n<>{}]{3,}+)", 1,
    ),
    _form(
        "R-BASIC", "AUTH_HEADER", '"auth" _auth',
        r"(?:\"auth\"[ \t]{0,4}:|_auth[ \t]{0,4}=)[ \t]{0,4}\"?([A-Za-z0-9+/]{8,}+={0,2})(?![\w=])", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "requirepass bindpw -storepass -keypass",
        r"(?i:requirepass|bindpw|-storepass|-keypass)[ \t]{1,8}[\"']?([^\s\"'$<{-][^\s\"'<>{}]{5,}+)", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "identified ",
        r"(?i:identified by)(?i:[ \t]{1,4}password)?[ \t]{1,4}[\"']([^\s\"'$<{](?:[^\s\"']{5,}+|[^\"'\n]{5,80}))[\"']", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "unseal ",
        r"(?i:unseal key)(?: [0-9]{1,2})?[ \t]{0,2}:[ \t]{1,4}([A-Za-z0-9+/]{43,44}=?|[0-9a-f]{64,66})(?![\w=])", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "mnemonic",
        r"(?i:mnemonic)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?([a-z]{3,8}(?: [a-z]{3,8}){11,23})(?=[\"'`\n])", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "_key', _salt',",
        r"(?i:(?:auth|logged_in|nonce)_(?:key|salt))',[ \t]{1,12}'(?!put )([^'\n]{20,}+)'", 1, 9,
    ),
    _form(
        "R-VENDOR", "PRIVATE_KEY", '"d" "p" "q" "dp" "dq" "qi"',
        r'"(?:d|p|q|dp|dq|qi)"[ \t]{0,4}:\s{0,4}"([\w-]{40,}+)"', 1, beside='"kty"',
    ),
    _form(
        "R-VENDOR", "PRIVATE_KEY", "Private-Lines: ",
        r"Private-Lines: [0-9]{1,4}\n((?:[A-Za-z0-9+/=]++\n)++(?:Private-MAC: [0-9a-f]{40,64})?)", 1,
    ),
    _form("R-ASSIGN", "SECRET_VALUE", ";secret=", r"(?i:;secret=)([A-Za-z0-9+/]{24,}+={0,2})", 1),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "machine ",
        r"machine[ \t]{1,4}\S{1,80}\s{1,8}login[ \t]{1,4}\S{1,80}\s{1,8}password[ \t]{1,4}"
        r"([^\s<$]{5,}+)", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", "default",
        r"(?i:default)[ \t]{1,4}login[ \t]{1,4}\S{1,80}\s{1,8}password[ \t]{1,4}([^\s<$]{5,}+)", 1,
    ),
    # a user and a password that are handed over together, or told one behind the other
    _form(
        "R-ASSIGN", "SECRET_VALUE",
        " ".join(CALLS),
        rf"(?i:{'|'.join(map(re.escape, CALLS))})\s{{0,8}}[\"'][^\"'\n]{{0,80}}[\"'],\s{{0,8}}[\"']([^\s\"'$<{{][^\s\"'$<{{]{{5,80}}+)[\"']", 1,
    ),
    _form(
        "R-ASSIGN", "SECRET_VALUE", " ".join(LOGINS),
        rf"(?<![\w-])(?i:{'|'.join(LOGINS)})[^\n:]{{0,30}}:[ *`\"]{{1,5}}[^\W\d_][\w.@+-]{{1,60}}(?:[ ][/|][ ]|[:/])"
        r"(?=[^\s]{0,60}[0-9])(?=[^\s]{0,60}[A-Za-z])([^\s/*`\"'<>][^\s*`\"'<>]{5,60}?)(?=[*`\"'.,;]{0,3}(?:\s|\Z))", 1,
    ),
    *_commands(),
)  # fmt: skip
LOWERED_ANCHORS = frozenset(
    (
        *(command for commands, _ in COMMANDS for command in commands),
        *LOGINS,
        *CALLS,
        "appid=", "default",
        "authorization", "curl ", "bearer", "basic ", "securestring",
        ";secret=", "machine ", "requirepass", "bindpw", "-storepass",
        "-keypass", "identified ", "unseal ", "mnemonic",
        "_key',", "_salt',",
    )
)  # fmt: skip
