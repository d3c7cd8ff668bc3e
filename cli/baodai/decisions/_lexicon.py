"""The words by which decisions are told, English and Chinese, as data.

Each pattern is tried on one sentence; the first group of a list that fits decides the kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.decisions import Kind


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern that tells a kind of decision; `tier` 2 explicit, 1 softer; `polarity` +1 or -1."""

    kind: Kind
    tier: int
    polarity: int
    pattern: re.Pattern[str]


def _cue(kind: Kind, tier: int, polarity: int, *patterns: str) -> Cue:
    return Cue(kind, tier, polarity, re.compile("|".join(patterns), re.IGNORECASE))


CUES: tuple[Cue, ...] = (
    _cue(
        Kind.CONSTRAINT, 2, 1,
        r"\bnothing but\b|\bdon'?t forget to\b|不能不|不得不|非.{1,12}不(?:用|可|要)|不是不要.{0,12}是必须",
    ),
    _cue(
        Kind.CORRECTION, 2, 1,
        r"^(?:no|nope|wait|actually|sorry|correction|scratch that|on second thought|change of plans?)\b[,.: —-]",
        r"\b(?:i meant|make (?:that|it) |not .{1,40}, but |instead of|rather than|let'?s switch to|change .{1,40} to)",
        r"不对|错了|更正|应该是|(?:改|换)(?:成|为|用|回)|还是(?:用|改|要|走)|不是.{1,20}(?:而)?是|算了|我的意思是|其实",
    ),
    _cue(
        Kind.CONSTRAINT, 2, -1,
        r"\b(?:never|must ?n[o']t|do not|don'?t|should ?n[o']t|should not|can ?not|can'?t|may not|no longer|stop)\b",
        r"\b(?:avoid|forbidden|off[- ]limits|not allowed|leave .{1,40} alone|without (?:any|using|touching|changing))\b",
        r"^(?:no|not|nothing)\b(?! (?:problem|worries|idea))",
        r"不要|别(?!的|人|处|名|说)|不准|不许|禁止|不能|不得|勿|不用|无需|不需要|避免|切勿|严禁|杜绝|不可以|不必|甭|不允许",
    ),
    _cue(
        Kind.CONVENTION, 2, 1,
        r"\b(?:convention|naming|name (?:it|the|this)|call (?:it|the|this)|named|(?:name|version|branch|port|path|prefix|tag|id|target|default|language|database|title|colou?r) (?:is|are|will be|should be)|style ?guide|commit messages?|indent(?:ation)?|format(?:ted)? as)\b",
        r"命名|叫做|(?:名字|名称|版本|分支|端口|路径|前缀|标签|语言|数据库|标题|颜色)(?:是|叫|为|用)|格式|风格|规范|约定|统一|注释用|提交信息",
    ),
    _cue(
        Kind.REQUIREMENT, 2, 1,
        r"\b(?:must|always|have to|has to|need(?:s)? to|required?|make sure|be sure|ensure|remember to|at (?:least|most)|only|keep)\b",
        r"\b(?:should|shall|no more than|up to|under|within|limit|cap|budget|deadline|by (?:mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|end of|tomorrow|\d)\w*)\b",
        r"必须|一定要|务必|要求|需要|确保|保证|记得|只(?:能|有|要|用|许)|仅|至少|最多|不超过|以内|即可|得先|应该|应当|预算|(?:号|日|月|周.|点|底)之?前|截止",
    ),
    _cue(
        Kind.CHOICE, 2, 1,
        r"\b(?:let'?s|we(?:'ll| will| are going to|'re going with)|i(?:'ll| will| want| choose| decided?))\b",
        r"\b(?:use|using|go with|going with|went with|choose|chose|pick|settle on|stick (?:with|to)|switch to|decided|approved?|it is)\b",
        r"(?:就|改|都|统一|直接|全部)?用(?!户|于|途|例|法|来)|采用|选(?:择|用|定)?|决定|确定|定(?:为|了|在)|就按|按照?.{1,12}(?:来|做|办)|走.{1,8}方案",
    ),
    _cue(
        Kind.PREFERENCE, 2, 1,
        r"\b(?:prefer(?:ably|ence|red)?|i(?:'d| would) (?:like|rather|love)|i like|rather|ideally|my favou?rite)\b",
        r"希望|想要|喜欢|偏好|倾向|最好|更(?:好|愿|喜欢)|尽量|我想|宁可|优先",
    ),
    _cue(
        Kind.REQUIREMENT, 1, 1,
        r"^(?:please|pls|also|then|now|and|next|first|ok(?:ay)?,?|alright,?|so)?[ ,]*(?:add|remove|delete|fix|update|change|"
        r"rename|move|create|write|implement|refactor|revert|run|test|check|verify|commit|push|deploy|build|make|set|"
        r"put|show|find|look|read|review|explain|answer|reply|respond|speak|ask|list|follow|treat|generate|convert|compare|skip|ignore|return|mark|track|log|print|format|document|replace|split|merge|install|upgrade|continue|do|start|try|give|tell|let)\b",
        r"\b(?:i (?:want|need)|can you|could you|would you|please|we (?:want|need))\b",
        r"请|帮我|帮忙|麻烦|一下|也(?:要|加|改|删|做)|先|继续|加(?:上|个|一)|删(?:除|掉)?|修(?:复|改)|改|写|查|推送|提交|执行|实现|重新|检查|看看|补",
    ),
)  # fmt: skip

QUESTION = re.compile(r"[?？]\s*[\"”』」)]*\s*$|(?:吗|呢)[。.！!]?\s*$")
ASKING = re.compile(
    r"^(?:what|why|how|when|where|who|which|is|are|was|were|do|does|did|has|have|should (?:i|we)|can (?:i|we)|could (?:i|we))\b"
    r"|是什么|什么意思|为什么|怎么(?!样都)|如何|是不是|有没有|哪(?:个|些|里)|多少|几个|我能不能|没理解|会怎样",
    re.IGNORECASE,
)
POLITE = re.compile(
    r"\b(?:can|could|would|will) you\b|\bplease\b|\bwhy don'?t (?:you|we)\b|\bhow about we\b|\bwould you mind\b"
    r"|能不能(?!是)|可不可以|可以.{1,30}吗|能否|请|帮我|麻烦|为什么不|一下",
    re.IGNORECASE,
)
HYPOTHETICAL = re.compile(
    r"\b(?:what if|suppose|(?:haven'?t|have not|not yet|still) (?:decid|undecid)\w*|undecided|torn between|maybe|perhaps|might|i wonder|considering|thinking (?:about|of)|not sure|could (?:also )?(?:consider|try)|"
    r"one option|in theory|hypothetically|someday|eventually|for later|would it)\b"
    r"|假如|假设|也许|或许|可能会|考虑(?!到)|不确定|会不会|说不定|要不要|以后再|将来|暂时没想好|还没(?:想好|决定)|万一",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"^\s*(?:if|when|unless|whenever|in case)\b|如果|要是|若|一旦|当.{1,20}时", re.IGNORECASE
)
CONSEQUENCE = re.compile(
    r"[,，]\s*(?:then )?(?:please |always |just )?(?:stop|don'?t|do not|never|use|ask|run|must|should|always|abort|skip|"
    r"fail|return|report|tell|revert|retry|make|keep|leave|commit|create|add|we|you)\b|就|则|必须|不要|别|请|应|要|停",
    re.IGNORECASE,
)
REPORTED = re.compile(
    r"\b(?:he|she|they|the client|the customer|(?:my|our|the) (?:boss|manager|colleague|teammate|friend|team lead|lead|cto|ceo|designer|pm|reviewer)|the docs?|the article|someone|"
    r"people|the team|the author|(?:the )?(?:readme|\w+ (?:team|guide|file)))\s+(?:said|says|say|told|tells|wants?|wanted|asked|suggest(?:s|ed)?|recommends?|thinks?|claims?|insists?)\b"
    r"|(?:他|她|他们|老板|客户|甲方|同事|领导|文档|有人|网上|文章|对方|朋友|产品经理)(?:里|上|们)?(?:都)?(?:说|建议|要求|认为|觉得|提到|推荐|想要|写着)",
    re.IGNORECASE,
)
ADOPTED = re.compile(
    r"\b(?:i agree|so (?:let'?s|we|do)|let'?s (?:do|follow|go)|do (?:that|it|so)|follow (?:that|it)|we'?ll (?:do|follow)|and i want)\b"
    r"|就按|我同意|照(?:做|办|他)|按(?:这个|此|他|她|照)|听(?:他|她)的|那就|就这么",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:last (?:year|project|job|time|week|month)|in my (?:previous|last|old)|at my (?:old|previous|last)|used to|back (?:then|when)|"
    r"years ago|previously we)\b|之前(?:那个|的)?项目|上个?(?:项目|公司|次|家)|以前|当年|去年",
    re.IGNORECASE,
)
SARCASM = re.compile(
    r"\byeah,? right\b|\boh,? (?:great|sure|perfect|wonderful)\b|\bsure,? (?:let'?s just|why not)\b|呵呵|干脆.{1,20}(?:算了|得了)|真是太.{1,6}了呢",
    re.IGNORECASE,
)
IDIOM = re.compile(
    r"\bcan'?t wait\b|\bmust (?:have (?:been|had)|be (?:tired|kidding|joking|hard|nice|fun|annoying))\b|\bdon'?t worry\b|\bnever mind\b|\bno (?:worries|problem|rush|idea)\b|\bi can'?t (?:believe|tell|see|find|remember)\b"
    r"|\bdon'?t (?:know|think|understand|mind|get (?:it|why))\b|别客气|别担心|没关系|不知道|不太懂|不好意思|不明白|不客气|不用谢",
    re.IGNORECASE,
)
ACCEPT = re.compile(
    r"^\s*(?:yes|yep|yeah|yup|ok(?:ay)?|sure|agreed?|correct|right|exactly|perfect|great|go(?: ahead)?|do (?:it|that|so|both|all)|"
    r"sounds good|lgtm|proceed|approved?|confirm(?:ed)?|both|all(?: of (?:them|it))?|neither|none|option|the (?:first|second|third|last|former|latter)(?: one)?|"
    r"[a-e](?:\s*(?:and|,|&|\+)\s*[a-e])*|\d(?:\s*(?:-|and|,|&|to|\+)\s*\d)*|#\d"
    r"|好(?:的|吧)?|可以|行|对|是(?:的)?|嗯+|同意|没问题|确认|就这样|执行(?:吧|方案吧)?|第[一二三四五1-5](?:个|种|项)?|方案[一二三四A-Da-d1-4]|都要|全部|前者|后者|选[A-Da-d1-5一二三])"
    r"(?![A-Za-z0-9])(?P<rest>.{0,80})$",
    re.IGNORECASE | re.DOTALL,
)
OVERRIDE = re.compile(
    r"\b(?:actually|instead|correction|from now on|update:|as of now|make (?:that|it)|switch(?:ing)? to|change (?:that|it|of)|changed my mind|scratch that|no longer|rather than|on second thought|"
    r"forget (?:that|about|it)|not .{1,30} but|go back to|replace|now (?:use|it'?s))\b|^(?:no|wait)\b[, ]"
    r"|改(?:成|为|用|回|到)|换(?:成|为|回)?|不对|错了|算了|还是(?:用|改|要|走)|不再|更正|从现在(?:起|开始)|以后都|现在起|而是|其实|改主意|取消",
    re.IGNORECASE,
)
PERMIT = re.compile(
    r"\b(?:is|are|it'?s) (?:fine|ok(?:ay)?|allowed|acceptable)(?: now| again)?\b|\byou (?:can|may) (?:now )?\b|\bnever ?mind (?:the|about)\b|\bdrop the\b|\bforget (?:the|about)\b"
    r"|(?:现在)?(?:可以|允许).{0,10}了|不用管|取消|作废|不再(?:需要|要求)",
    re.IGNORECASE,
)
