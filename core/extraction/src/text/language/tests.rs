use super::*;

#[test]
fn detects_the_language_of_reports() {
    for (tag, report) in [
        (
            "de",
            "Der Verbindungspool von `payments-db` war um 14:05 Uhr voll. Die Ursache ist eine Abfrage, die nach dem Deployment v2.31.0 nicht mehr durch den Index lief.",
        ),
        (
            "de",
            "## Ursache\n\n- checkout-7f9c4d wurde vom Kernel beendet (OOMKilled)\n- Speicherlimit von 512Mi auf 1Gi erhöht\n- Alarm kam 12 Minuten zu spät und wurde nicht weitergeleitet",
        ),
        (
            "fr",
            "Le pool de connexions de payments-db était saturé à 14:05. La cause est une requête qui n'utilise plus l'index depuis la version v2.31.0.",
        ),
        (
            "fr",
            "Les pods checkout-7f9c4d ont été tués par le noyau (OOMKilled) et le service ne répondait pas pendant 12 minutes.",
        ),
        (
            "es",
            "El pool de conexiones de payments-db se llenó a las 14:05. La causa fue una consulta que dejó de usar el índice después del despliegue v2.31.0.",
        ),
        (
            "es",
            "Los pods de checkout fueron terminados por falta de memoria y el servicio no respondió durante 12 minutos.",
        ),
        (
            "pt",
            "O pool de conexões do payments-db ficou cheio às 14:05. A causa foi uma consulta que não usa mais o índice após a versão v2.31.0.",
        ),
        (
            "pt",
            "Os pods do checkout foram encerrados por falta de memória e o serviço não respondeu durante 12 minutos.",
        ),
        (
            "it",
            "Il pool di connessioni di payments-db era pieno alle 14:05. La causa è una query che non usa più l'indice dopo la versione v2.31.0.",
        ),
        (
            "it",
            "I pod di checkout sono stati terminati dal kernel e il servizio non ha risposto per 12 minuti, perché la memoria della coda era esaurita.",
        ),
        (
            "nl",
            "De verbindingspool van payments-db was om 14:05 vol. De oorzaak is een query die na versie v2.31.0 niet meer door de index liep.",
        ),
        (
            "nl",
            "De pods van checkout werden door de kernel gestopt en de dienst was 12 minuten niet bereikbaar, omdat het geheugen op was.",
        ),
        (
            "pl",
            "Pula połączeń payments-db była pełna o 14:05. Przyczyną jest zapytanie, które po wdrożeniu v2.31.0 nie korzysta już z indeksu.",
        ),
        (
            "pl",
            "Pody checkout zostały zatrzymane przez jądro, ponieważ zabrakło pamięci, i usługa nie odpowiadała przez 12 minut.",
        ),
        (
            "sv",
            "Anslutningspoolen för payments-db var full kl. 14:05. Orsaken är en fråga som inte använder indexet efter att version v2.31.0 rullades ut.",
        ),
        (
            "da",
            "Forbindelsespuljen til payments-db var fuld kl. 14:05. Årsagen er en forespørgsel, som ikke bruger indekset efter at version v2.31.0 blev rullet ud.",
        ),
        (
            "tr",
            "payments-db bağlantı havuzu saat 14:05 itibarıyla doldu. Bunun nedeni v2.31.0 sürümünden sonra dizini kullanmayan bir sorgu ve uzun süren bir kilit oldu.",
        ),
        (
            "und-Cyrl",
            "Пул соединений payments-db был заполнен в 14:05. Причина — запрос, который после версии v2.31.0 не использует индекс.",
        ),
        ("und-Cyrl", "Поды checkout-7f9c4d были остановлены ядром (OOMKilled)."),
        ("zh", "payments-db 的连接池在 14:05 已满。原因是 v2.31.0 发布后查询不再使用索引。"),
        ("zh", "checkout-7f9c4d 因 OOMKilled 重启了 4 次"),
        (
            "ja",
            "payments-db のコネクションプールは 14:05 に枯渇しました。原因は v2.31.0 以降インデックスを使わないクエリです。",
        ),
        (
            "ko",
            "payments-db 연결 풀이 14:05에 가득 찼습니다. 원인은 v2.31.0 배포 이후 인덱스를 사용하지 않는 쿼리입니다.",
        ),
        (
            "und-Arab",
            "امتلأ تجمع اتصالات payments-db في 14:05. السبب هو استعلام لا يستخدم الفهرس بعد الإصدار v2.31.0.",
        ),
        ("el", "Η δεξαμενή συνδέσεων του payments-db γέμισε στις 14:05 λόγω ενός ερωτήματος."),
        ("he", "מאגר החיבורים של payments-db התמלא בשעה 14:05 בגלל שאילתה שלא משתמשת באינדקס."),
        (
            "und",
            "A payments-db kapcsolatkészlete délután két órakor betelt, mivel egyetlen lekérdezés többé már nem használta az indexet, így várakozó kérések torlódtak.",
        ),
    ] {
        assert_eq!(language(report), Some(tag), "{report}");
    }
}

#[test]
fn detects_english_with_foreign_words() {
    for report in [
        "The pool of payments-db was full at 14:05 because a query no longer used the index.",
        "Restarts began after release v2.31.0; the log has \"Verbindung zur Datenbank wurde von der Gegenstelle getrennt und nicht wieder aufgebaut\" 14 times.",
        "The message `数据库连接池已满，无法获取连接` was logged by order-api, and the pods of the deployment were restarted.",
        "The customer in São Paulo and the one in Zürich were affected; the error was in /de/und/der/die/das/nicht.",
        "Der Spiegel, El País and La Repubblica were the only tenants that were affected by the outage of the cache.",
        "The user wrote 支付失败 in the ticket, and the on-call engineer found that the pool was full.",
    ] {
        assert_eq!(language(report), Some("en"), "{report}");
    }
}

#[test]
fn short_texts_have_no_language() {
    for text in [
        "",
        "payments-db",
        "OOMKilled",
        "checkout-7f9c4d-x2x1z 4 restarts, exit code 137",
        "p99 480 ms, 12 μs, 40 Ω",
        "10.0.3.4:5432 connection refused",
        "```\nDer Pool ist voll und wird nicht leer, weil die Verbindung zu der Datenbank fehlt.\n```",
        "| pod | restarts |\n|---|---|\n| la-el-de | 4 |\n| con.de.la | 2 |",
        "Pods restarting. Memory limit exceeded. Connection pool exhausted. Alerts firing. Rollback done.",
        "Zürich, Genève, Málaga",
        "… 🔥🔥",
    ] {
        assert_eq!(language(text), None, "{text}");
    }
}
