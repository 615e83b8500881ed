//! Instruction phrases in several languages. They are matched against views, which are in lower case
//! and have single spaces.

use regex::Regex;

use super::expressions::Expression;
use crate::finding::FindingKind;
use crate::marks::Treatment;

/// Up to four words between the parts of a phrase.
const WORDS: &str = r"(?: [^ .;!?]{1,24}){0,4}? ";
/// Up to twelve characters between the parts of a phrase, for scripts without spaces.
const LETTERS: &str = r"[^ .。!！]{0,12}?";

/// Phrases by language. `{words}` and `{letters}` stand for [`WORDS`] and [`LETTERS`].
const PHRASES: [&str; 23] = [
    // English: ignore previous instructions
    r"\b(?:ignor(?:e|ing)|disregard|forget|override|bypass|neglect|discard|stop following|do not follow|don't follow|pay no attention to){words}(?:previous|prior|above|earlier|preceding|foregoing|your|system|original|initial|all|any|these|those|other){words}?(?:instructions?|prompts?|directives?|guidelines|guardrails|orders|directions|commands|(?:user|system) messages?|tasks?)\b",
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the )?(?:instructions?|directives|guidelines|prompts?|(?:your|previous|prior|above|earlier) (?:rules|context|task|training)|(?:everything|anything|all|what) (?:above|before|you (?:were|have been) told))",
    // English: assume a role
    r"\byou are now (?:a |an |the |in |dan\b|acting|free|unrestricted|no longer)|\bfrom now on,? you (?:are|will|must|should)|\b(?:act|behave|respond) as (?:a |an |the |if you (?:are|were) )(?:judge|evaluator|grader|assistant|system|ai\b|developer|administrator|unrestricted)|\bas an? (?:ai|large language) model\b|\bpretend (?:to be|that you|you are)",
    r"\b(?:role-?play|act|behave|respond|answer) as (?:dan\b|an? (?:unrestricted|unfiltered|uncensored|evil|jailbroken))|\bsystem\]?:? (?:the user is|you (?:are|must|will)|ignore|override security|never reveal|always (?:mark|answer|say)|do not|reveal|approve)|\b(?:ignore|abandon|stop|drop) (?:the |this |your )?(?:analysis |current |evaluation |original )?task and\b|\byour (?:hidden|initial|original|internal|developer|system|secret) (?:system )?(?:prompt|instructions?|rules)\b|\bdeveloper (?:instructions|mode)\b",
    // English: address the judge
    r"\b(?:note|message|attention|instructions?|important|dear|hey|hello|hint)(?: (?:to|for))?(?: the| all| any)?:? ?,?(?:ai|llm|llms|judge|judges|evaluator|grader|verifier|reviewing|automated|language)(?: (?:models?|assistant|judge|evaluator|grader|agent|system))?\b ?[:,.!-]|\b(?:the|dear) (?:judge|evaluator|grader|verifier|llm|ai|language model|ai assistant|model) (?:must|should|shall|has to|needs to|is instructed to|will now)\b",
    // English: give a verdict
    r"\b(?:mark|classify|label|rate|treat|score|consider|report|return|accept|count|deem|declare)(?: [^ ]{1,24}){0,6}? (?:claims?|everything|statements?|report|synthesis|answer)(?: [^ ]{1,24}){0,5}? (?:as )?(?:fully )?['\x22]?(?:grounded|ungrounded|supported|verified|proceed|contradicted)\b",
    r"\b(?:all|every|each|any|the following|these) (?:of the )?(?:claims?|statements?)(?: [^ ]{1,24}){0,5}? (?:is|are|be|as|were) (?:to be )?(?:all |always |already |fully |marked |classified |considered )*(?:grounded|supported|verified|true|correct)\b",
    r"\b(?:respond|reply|answer|output)(?: [^ ]{1,12}){0,2}? (?:only|exactly|just|nothing but)(?: [^ ]{1,12}){0,3}? ?(?:with|the|this|:|\{|'|\x22)|\b(?:respond|reply|answer|output)(?: with)? (?:proceed|the following json|this json|\{)|\b(?:respond|reply|answer)(?: with)? ['\x22]?grounded\b",
    r"\b(?:do not|don't|never|no need to|skip|without) (?:verify|verifying|check|checking|cite|citing|question|questioning|validate|validating|quote)(?: [^ ]{1,16}){0,3}? (?:claims?|citations?|quotes?|evidence|statements?|report|sources)\b",
    // English: reveal or replace the prompt
    r"\b(?:reveal|print|repeat|show|output|leak|disclose)(?: [^ ]{1,16}){0,3}? (?:system prompt|your (?:instructions|prompt|rules)|the (?:system )?prompt|canary|nonce)|\b(?:new|updated|real|actual|true|revised|additional|hidden|secret) (?:system )?(?:instructions?|prompt|directives?|task) ?(?:for you|from the (?:user|operator|developer|system)|follows?)? ?:|\bend of (?:the )?(?:evidence|untrusted (?:data|content)|system prompt)\b|\b(?:jailbreak|developer mode (?:on|enabled|activated)|admin override|system override|sudo mode)\b",
    // German
    r"\b(?:ignorier(?:e|en|t)|vergiss|vergessen sie|vergesst|missachte|missachten sie|beachte|beachten sie|befolge|befolgen sie|überschreibe){words}(?:anweisung(?:en)?|anleitung(?:en)?|instruktion(?:en)?|befehle?|regeln|vorgaben|anordnungen|systemprompt)\b",
    r"\b(?:bewerte|bewerten sie|markiere|markieren sie|stufe|stufen sie|werte)(?: [^ ]{1,24}){0,4}? (?:behauptung(?:en)?|aussagen?|claims)(?: [^ ]{1,24}){0,3}? (?:belegt|wahr|gestützt|korrekt|grounded|richtig)\b",
    // French
    r"\b(?:ignor(?:e|ez|er)|oubli(?:e|ez|er)|néglige[zr]?|ne (?:tiens|tenez) pas compte|fai(?:s|tes) abstraction|ne sui(?:s|vez) pas){words}(?:instructions?|consignes?|directives?|règles|ordres)\b",
    // Spanish
    r"\b(?:ignora|ignore|ignorad|ignorar|olvida|olvide|olvidar|descarta|descarte|haz caso omiso|haga caso omiso|no sigas|desobedece){words}(?:instrucciones|instrucción|órdenes|indicaciones|directrices|reglas)\b",
    // Portuguese
    r"\b(?:ignore|ignora|ignorem|esqueça|esquece|desconsidere|desconsidera|desrespeite|não siga){words}(?:instruções|instrução|ordens|diretrizes|orientações|regras)\b",
    // Italian
    r"\b(?:ignora|ignorate|ignori|dimentica|dimenticate|trascura|tralascia|non seguire|non tenere conto){words}(?:istruzioni|istruzione|direttive|regole|ordini|indicazioni)\b",
    // Russian
    r"\b(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не учитывай(?:те)?|не следуй(?:те)?|отмени(?:те)?){words}(?:инструкци[а-я]{1,3}|указани[а-я]{1,3}|правил[а-я]{0,3}|команд[а-я]{0,3}|приказ[а-я]{0,3})\b",
    // Chinese
    r"(?:忽略|无视|無視|忽視|忽视|忘记|忘記|不要理会|不要遵循|不要遵守){letters}(?:指令|指示|说明|說明|提示词|提示|规则|規則|命令|要求)",
    // Japanese
    r"(?:指示|命令|指令|プロンプト|ルール|規則){letters}(?:無視|忘れ|従わない|従うな)",
    // Korean
    r"(?:지시|명령|지침|프롬프트|규칙|지시사항)[^.!]{0,12}?(?:무시|잊어|따르지)",
    // Arabic
    r"(?:تجاهل|تجاهلي|تجاهلوا|انس|انسى|أهمل|اهمل|لا تتبع){words}(?:التعليمات|تعليمات|الأوامر|الاوامر|أوامر|الإرشادات|القواعد|التوجيهات)",
    // Verdicts in other languages
    r"(?:将|把|請將|请将)?所有(?:的)?(?:声明|聲明|主张|陈述|claims?)[^.。]{0,12}(?:标记为|標記為|视为|判定为)|(?:marque|considère|considérez|marquez|marca|marque|considera|considere|contrassegna)(?: [^ ]{1,24}){0,4}? (?:affirmations?|afirmaciones|afirmações|affermazioni|claims?)(?: [^ ]{1,24}){0,3}? (?:comme|como|come) [^ ]{3,}",
    r"(?:все|каждое) (?:утверждени[а-я]{1,3})(?: [^ ]{1,24}){0,4}? (?:подтвержд[а-я]{1,8}|верн[а-я]{1,4}|истин[а-я]{1,5}|обоснован[а-я]{0,4})|すべての(?:主張|クレーム)[^.。]{0,16}(?:とみなし|と判定|とし)|모든 (?:주장|진술)[^.]{0,16}(?:간주|판정|표시)",
];

pub(super) fn expressions() -> Result<Vec<Expression>, regex::Error> {
    let filled = |phrase: &str| phrase.replace("{words}", WORDS).replace("{letters}", LETTERS);
    let to_expression = |phrase: &&str| {
        Ok(Expression {
            regex: Regex::new(&filled(phrase))?,
            kind: FindingKind::Instruction,
            treatment: Treatment::Mark,
            is_reported: true,
        })
    };
    PHRASES.iter().map(to_expression).collect()
}
