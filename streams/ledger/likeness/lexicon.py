"""The few words of English whose meaning the pair rules know, each list a general one.

Groups of words for the same thing, words for a class and its members, opposites, and sets of which
only one can hold. Operations that complement each other (read and write, create and delete) are no
opposites: a system does both. What is not here is compared as it is written.
"""

from __future__ import annotations

_NEGATOR_TEXT = """
    not no never none neither nor nobody nothing nowhere without cannot cant wont dont doesnt didnt
    isnt arent wasnt werent shouldnt mustnt neednt hasnt havent couldnt wouldnt hadnt aint unable
"""
_FUNCTION_TEXT = """
    a an the this that these those there here it its they their them he she his her him we our us
    you your i my me one some any each every all both of in on at to from by with for as into onto
    over under up down out off about around near through between among along across behind and or
    but if then than so while when where which who whom whose what how is are was were be been
    being am do does did done has have had having will would can could may might shall should must
    ought need needs get gets got going go very just also too only even still such same other more
    most much many few several lot
"""
_FILLER_TEXT = """
    think guess believe feel suppose say hope probably personally simply definitely exactly really
    actually generally basically entirely completely totally quite rather pretty perhaps maybe yes
    sorry well unfortunately honestly certainly clearly obviously please thanks however therefore
    moreover again already always currently now here kind sort way thing things lot bit afraid sure
    okay course fact general entire whole
"""
_SAME_TEXT = """
    upgrade update bump; remove delete drop erase discard decommission; add introduce create; fail
    failure fails error exception broken break; fix repair resolve correct; replace substitute
    swap; start begin launch boot; stop end halt finish terminate; big large huge; small little
    tiny; fast quick rapid; slow sluggish; use employ utilize utilise; need require; show display
    present; store save persist keep; get fetch obtain retrieve; send transmit; allow permit enable
    let; forbid deny disallow prohibit disable block; doc documentation docs; config configuration
    setting; repo repository; dependency library lib jar package; test testcase; directory folder
    dir; parallel concurrent simultaneous; authentication auth authenticate login; administrator
    admin; database db; maximum max; minimum min; bike bicycle; cycling biking; photo picture
    photograph; couch sofa; street road; job work; talk speak chat converse; look watch view; ask
    question inquire; help assist aid; choose pick select; answer reply respond; idea suggestion;
    hard difficult tough; easy simple; important crucial essential key; maybe perhaps possibly; buy
    purchase; car automobile; kid child; woman lady; man guy gentleman; people persons; great good
    nice excellent; terrible bad horrible awful poor; problem issue; find figure; taste preference;
    reason cause; proceed continue; company employer firm; school university college; thing stuff;
    amount quantity; rule regulation; method approach technique; error mistake; common usual
    typical; enough sufficient; begin commence; own possess; money cash; doctor physician; correct
    right; wrong incorrect; advice recommendation; recommend suggest advise; consider ponder;
    couple two; afford manage; try attempt; worry fear; dad father; mom mother; sleep nap asleep;
    outside outdoors outdoor; inside indoors indoor; run jog; jump leap; yell shout scream; shut
    close; wait await; push shove; close near
"""
_IRREGULAR_TEXT = """
    man men; woman women; child children; foot feet; person people; knife knives; wife wives; life
    lives; sit sat; sleep slept; stand stood; run ran; ride rode ridden; sing sang sung; swim swam
    swum; drive drove driven; eat ate eaten; throw threw thrown; fall fell fallen; give gave given;
    take took taken; make made; come came; write wrote written; speak spoke spoken; hold held; wear
    wore worn; keep kept; send sent; build built; find found; lose lost; leave left; hear heard;
    tell told; say said; see saw seen; know knew known; grow grew grown; begin began begun; choose
    chose chosen; break broke broken; buy bought; sell sold; think thought; bring brought; teach
    taught; catch caught; fight fought; lie lying lay; die dying; tie tying; lead led; read
    reading; pay paid; mean meant; meet met; win won; hang hung; hide hid hidden; draw drew drawn;
    fly flew flown; show shown; sweep swept; feel felt; fail failure; index indices; vertex
    vertices; analysis analyses
"""
_CLASS_TEXT = """
    person: man woman boy girl child guy lady gentleman kid adult someone player worker swimmer
    surfer biker cyclist skier dancer singer rider teenager father mother son daughter baby toddler
    boys girls men women doctor teacher student human people individual model friend couple user;
    people: men women boys girls children guys ladies persons crowd group couple family kids
    players workers team audience person individuals humans friends everyone; human: man woman boy
    girl child person people lady guy; crowd: group people; group: crowd people; children: boys
    girls kids; kids: boys girls children; child: boy girl baby toddler; family: father mother
    parents son daughter; animal: dog cat horse bird puppy cow sheep; woman: girl; man: boy; women:
    girls; men: boys; vehicle: car bus truck bike motorcycle van train tram bicycle boat segway;
    boat: kayak canoe raft rowboat; clothes: shirt dress pants jeans jacket coat suit shorts hat;
    footwear: shoes boots sneakers sandals; shoes: boots sneakers sandals; building: house church
    office store shop school hospital castle; instrument: guitar piano drum violin flute trumpet;
    music: guitar piano drum violin song sing; food: meal lunch dinner breakfast snacks bread meat
    fruit; eat: meal lunch dinner; drink: juice beer wine coffee tea; outside: street park beach
    lake ocean field road mountain hill river snow garden sand pier dock fish sidewalk forest tree
    yard boardwalk city bike surf; outdoors: street park beach lake ocean field road mountain hill
    river snow garden sand pier dock sidewalk forest tree yard boardwalk; inside: room kitchen
    restaurant office house church gym store lab laboratory subway; indoors: room kitchen
    restaurant office house church gym store lab laboratory subway; water: lake pool ocean sea
    river wave pond; beach: sand ocean; sport: football soccer hockey tennis baseball basketball
    golf; play: game; device: machine computer phone; machine: equipment device; equipment:
    machine; move: walk run drive push pull ride; ride: bike bicycle horse drive rider; drive:
    ride; read: book newspaper magazine; work: office desk; swim: swimmer pool; cook: kitchen stove
    grill; sing: song singer microphone; store: shop market; datastore: database postgresql mysql
    mongodb sqlite oracle cassandra redis
"""
_OPPOSITE_TEXT = """
    enable disable; enabled disabled; allow forbid; allow deny; allow prohibit; permit forbid;
    permit deny; accept reject; accept refuse; include exclude; open close; open closed; opened
    closed; always never; all none; everyone nobody; required optional; mandatory optional;
    mandatory voluntary; valid invalid; public private; synchronous asynchronous; sync async;
    internal external; local remote; static dynamic; mutable immutable; online offline; manual
    automatic; manually automatically; automated manual; encrypted unencrypted; encrypted
    plaintext; secure insecure; safe unsafe; stateful stateless; active inactive; visible
    invisible; visible hidden; show hide; connected disconnected; locked unlocked; success failure;
    succeed fail; pass fail; true false; yes no; on off; above below; over under; inside outside;
    indoors outdoors; north south; east west; high low; higher lower; highest lowest; maximum
    minimum; max min; upper lower; long short; longer shorter; big small; large small; large tiny;
    great small; fast slow; faster slower; early late; earlier later; new old; newer older; young
    old; hot cold; warm cool; wet dry; clean dirty; full empty; heavy light; dark light; dark
    bright; hard soft; hard easy; difficult easy; strong weak; rich poor; cheap expensive; good
    bad; better worse; best worst; happy sad; smile frown; laugh cry; love hate; like dislike; win
    lose; increase decrease; grow shrink; expand shrink; expand collapse; raise lower; stand sit;
    standing sitting; asleep awake; sleep wake; alive dead; male female; man woman; boy girl; day
    night; single multiple; single double; unique duplicate; equal different; same different; same
    distinct; together apart; more less; more fewer; least most; most fewest; exceed below;
    ascending descending; horizontal vertical; deep shallow; wide narrow; thick thin; tall short;
    near far; present absent; possible impossible; available unavailable; supported unsupported;
    compatible incompatible; known unknown; complete incomplete; correct incorrect; legal illegal;
    necessary unnecessary; stable unstable; reliable unreliable; expected unexpected; authorized
    unauthorized; authenticated anonymous; authenticated unauthenticated; registered unregistered;
    ordered unordered; sorted unsorted; signed unsigned; shared exclusive; shared dedicated;
    centralized decentralized; central distributed; permanent temporary; persistent transient;
    blocking nonblocking; eager lazy; optimistic pessimistic; verbose quiet; crowded empty; crowded
    deserted; loud quiet; noisy silent; quickly slowly; quick slow; rough smooth; sharp blunt;
    tight loose; straight crooked; calm angry; shiny dull; ancient modern; rural urban; domestic
    foreign; child adult; winter summer; morning evening; increase reduce; encourage discourage;
    approve reject; approved rejected; minimize maximize; prevent permit; prevent allow; everything
    nothing; everywhere nowhere; someone nobody; with without; available missing; present missing;
    single multi
"""
_EXCLUSIVE_TEXT = """
    red blue green yellow black white orange purple pink brown gray grey; monday tuesday wednesday
    thursday friday saturday sunday; january february march april june july august september
    october november december; hourly daily weekly monthly quarterly yearly annually nightly; zero
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million; first second third fourth fifth sixth seventh eighth ninth tenth
    eleventh twelfth; north south east west; spring summer autumn winter; critical high medium low;
    aluminum copper gold iron leather paper plastic silver steel stone wood wooden; english french
    german spanish italian chinese japanese korean russian dutch portuguese swedish polish turkish
    greek arabic brazilian mexican canadian american british indian australian; england france
    germany spain italy china japan korea russia netherlands portugal sweden poland turkey greece
    egypt brazil mexico canada india australia; postgresql mysql mongodb sqlite oracle cassandra
    redis; kafka rabbitmq; aws gcp azure; jwt cookie; rest grpc graphql; json xml yaml; tcp udp;
    http https
"""
_GERMAN_NEGATOR_TEXT = "nicht kein keine keinen keinem keiner keines nie niemals ohne weder"
_GERMAN_FUNCTION_TEXT = """
    der das ein eine einen einem einer und oder von auf ist sind wird werden muss darf soll kann
"""  # no word that English has too
_SIDE_BY_SIDE_TEXT = """
    production prod staging development dev testing test preview sandbox demo; windows linux macos
    android ios; frontend backend; client server; free basic pro premium enterprise; eu us uk apac
    emea; inbound outbound; request response; read write; upload download; admin member guest;
    internal external; current previous next; monolith microservice; desktop mobile web
"""
_NOT_OF_SCENES = frozenset(
    ["user", "users", "worker", "workers", "team", "model", "individual", "individuals"]
)
GERMAN_NEGATORS = frozenset(_GERMAN_NEGATOR_TEXT.split())
GERMAN_FUNCTION_WORDS = frozenset(_GERMAN_FUNCTION_TEXT.split())
FILLERS = frozenset(_FILLER_TEXT.split())
NEGATORS = frozenset(_NEGATOR_TEXT.split())
FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.split(";")]


SAME: dict[str, str] = {}
for _group in _groups(_SAME_TEXT):
    for _word in _group:
        SAME.setdefault(_word, _group[0])

IRREGULAR: dict[str, str] = {}  # a form that no rule brings to its word -> that word
for _group in _groups(_IRREGULAR_TEXT):
    for _word in _group[1:]:
        IRREGULAR[_word] = _group[0]

CLASS_OF: dict[str, frozenset[str]] = {}
for _head, _members in (each.split(":") for each in _CLASS_TEXT.split(";")):
    for _word in _members.split():
        CLASS_OF[_word] = CLASS_OF.get(_word, frozenset()) | {_head.strip()}

OPPOSITES: frozenset[tuple[str, str]] = frozenset(
    pair for one, other in _groups(_OPPOSITE_TEXT) for pair in ((one, other), (other, one))
)

EXCLUSIVE: dict[str, int] = {}
for _number, _group in enumerate(_groups(_EXCLUSIVE_TEXT)):
    for _word in _group:
        EXCLUSIVE.setdefault(_word, _number)

SIDE_BY_SIDE: dict[str, int] = {}  # scopes of which each has facts of its own -> its set
for _number, _group in enumerate(_groups(_SIDE_BY_SIDE_TEXT)):
    for _word in _group:
        SIDE_BY_SIDE[_word] = _number

_LIVING = ("person", "people", "animal", "crowd", "group", "children", "kids", "family", "human")
SEEN_IN_SCENES: frozenset[str] = frozenset(
    form
    for word, heads in CLASS_OF.items()
    if not heads.isdisjoint(_LIVING) and word not in _NOT_OF_SCENES
    for form in (word, f"{word}s")
) | frozenset(_LIVING)
