//! The states of affairs that reports and tools put in other words: what reports say, and what tools show for it.
//!
//! Phrases are parted by `|`; how they are read is told in [`crate::vocabulary::affairs`].

use crate::vocabulary::affairs::Sort::{self, Effect, Fault, Unplaced};

/// Phrases of reports, and phrases of tools for the same.
pub(crate) const AFFAIRS: &[(Sort, &str, &str)] = &[
    // Names and addresses.
    (
        Fault,
        "not resolve|not be resolved|not been resolved|cannot be resolved|could not be resolved|no such host\
         |unknown host|unresolvable|name resolution|nxdomain|cannot resolve|no longer resolve\
         |dns lookup * failed|failed * dns lookup|lookup failed|resolution failed",
        "no such host|nxdomain|name or service not known|name resolution|could not resolve host\
         |could not resolve hostname|unknownhostexception|enotfound|eai_again|not translate host name\
         |name does not resolve|server misbehaving|lookup * i o timeout",
    ),
    (
        Fault,
        "connection * refused|connections * refused|refused * connection|refused connection|refused * connect",
        "connection refused|econnrefused|connect * refused|connections refused|actively refused|connection to * refused",
    ),
    (
        Fault,
        "connection * reset|reset * connection|connection * lost|lost * connection|connection * broke\
         |connection * dropped|dropped * connection|connection * torn down|lost * master|connection * cut",
        "connection reset|connection lost|lost connection|broken pipe|econnreset|connection * closed|connection * terminated|server closed",
    ),
    (
        Fault,
        "unreachable|not be reached|cannot reach|could not reach|not reachable|no route",
        "unreachable|no route to host|ehostunreach|enetunreach|not reachable",
    ),
    (
        Fault,
        "timed out|time out|times out|timeout|not * in time|too long|deadline * exceeded|deadline * passed|no answer in time\
         |no answer within|no response within|waited too long|ran out of time|not answer",
        "timed out|timeout|deadline exceeded|etimedout|timeouterror|timeoutexception|time out|timeout exceeded",
    ),
    // Rights and trust.
    (
        Fault,
        "refused|refuse|rejected|reject|declined|turned down|turned away|denied",
        "refused|rejected|declined|denied|rejecting",
    ),
    (
        Fault,
        "forbidden|not allowed|not permitted|no permission|lack * permission|lack of permission|permission * denied\
         |missing permission|access * denied|unauthorized|not authorized|no right|lack * right|insufficient permission",
        "forbidden|permission denied|access denied|accessdenied|unauthorized|not authorized|eacces|not allowed\
         |insufficient privileges|accessdeniedexception|not have permission|no permission",
    ),
    (
        Fault,
        "expired|has expired|lapsed|expiry|ran out|no longer valid|out of date",
        "expired|has expired|expiredcertexception|certificate expired|certificateexpired",
    ),
    (
        Fault,
        "not trusted|untrusted|unknown authority|self-signed|not * verified|verification * failed",
        "unknown authority|self-signed|certificate verify failed|self signed certificate|not trusted|unable to verify",
    ),
    (
        Fault,
        "wrong password|bad password|wrong credentials|bad credentials|authentication * failed|could not authenticate|login * rejected",
        "password authentication failed|authentication failed|invalid credentials|invalid password|bad credentials|401 unauthorized",
    ),
    // Room.
    (
        Fault,
        "no space * left|no space|no room|disk * full|volume * full|filesystem * full|storage * full|out of space|out of disk\
         |out of storage|ran out of * space|run out of * space|running out of * space|lack of space|lack of * space|short of space\
         |space * exhausted|storage * exhausted|full disk|full volume|storage shortage|space ran out|space had run out\
         |space had been used up|no storage * left|ran full|filled up|exhausted * storage",
        "no space left|enospc|out of storage|out of disk|disk full|ran out of * space|ran out of storage|storage full|insufficient storage\
         |not enough space|storage-full|disk is full|storage * exhaustion|freestoragespace exhaustion|volume is full",
    ),
    (
        Fault,
        "out of memory|ran out of memory|memory limit|oom|oom-killed|oom-kill|short of memory|no memory * left|memory * exhausted",
        "oomkilled|out of memory|outofmemoryerror|oom-kill|oom_kill|oom-killer|cannot allocate memory|oom killed|oomkilling",
    ),
    (
        Fault,
        "quota * exceeded|exceed * quota|over * quota|quota * used up|used up * quota|quota * exhausted|exhausted * quota|hit * quota\
         |quota * reached|reached * quota|quota * left no room|quota * hit|beyond * quota|exceeded|quota was full",
        "exceeded quota|quota exceeded|quotaexceeded|exceeds quota|quota * reached|limit exceeded",
    ),
    (
        Fault,
        "too many connections|no connection slots|connection limit|max_connections|connections * used up|too many clients",
        "too many connections|too many clients|remaining connection slots|connection limit exceeded",
    ),
    (
        Fault,
        "pool * exhausted|exhausted * pool|no free connection|no connection * free|no connection * available|pool * ran dry|pool * empty\
         |connection * not available|pool exhaustion|exhaustion of * pool|pool * full",
        "pool exhausted|connection is not available|no available connection|pool * exhausted|pool is full|acquire * connection\
         |pool timeout|timeout waiting for connection|unable to acquire",
    ),
    (
        Fault,
        "rate limit|rate-limited|throttled|too many requests|request limit",
        "too many requests|429|rate limit|throttled|toomanyrequests|throttlingexception|rate exceeded|qps exceeded",
    ),
    // What is not there, or not as it must be.
    (
        Fault,
        "not found|not exist|no such|missing|nonexistent|not be found|absent|not there|nowhere|unknown|no longer exist",
        "not found|notfound|does not exist|couldn't find|could not find|no such|missing|unknown|404|nosuchkey|doesn't exist|enoent",
    ),
    (
        Fault,
        "not set|unset|missing|not defined|undefined|not configured|lacks|lacking|not given|absent|left empty|empty",
        "is not set|not set|unset|not defined|undefined|missing|must be set|is required|not configured|is empty",
    ),
    (
        Fault,
        "manifest * unknown|unknown manifest|no such tag|tag * not exist|manifest * not found|manifest * missing|no manifest",
        "manifest unknown|manifest for * not found|manifest not found|no matching manifest",
    ),
    (
        Fault,
        "malformed|syntax error|invalid|not be parsed|cannot be parsed|not valid|bad syntax|ill-formed|unparsable|garbled",
        "syntax error|invalid|malformed|parse error|cannot parse|failed to parse|could not parse|unmarshal|not valid",
    ),
    (
        Fault,
        "duplicate|already exist|already existed|unique constraint|already present|already taken|twice",
        "duplicate key|already exists|unique constraint|duplicate entry|duplicate",
    ),
    (
        Fault,
        "address * in use|port * in use|already in use|port * taken|port * occupied|port * busy",
        "address already in use|eaddrinuse|already allocated|bind address already in use",
    ),
    (Fault, "exec format error|wrong architecture|other architecture", "exec format error"),
    (
        Fault,
        "health check * failed|health check failure|failed * health check|failing health check|failure of * health check\
         |probe * failed|failed * probe|failing probe|unhealthy",
        "probe failed|health check failure|unhealthy|health check failed|health checks failed",
    ),
    (Fault, "deadlock|deadlocked", "deadlock|deadlock detected"),
    (
        Fault,
        "not mounted|not be mounted|mount * failed|failed mount",
        "failedmount|mountvolume|unable to attach|unable to mount",
    ),
    // Why nothing was scheduled.
    (
        Unplaced,
        "too few|not enough|no * enough|none * enough|insufficient|lack of|short of|shortage of|want of|for want of|lacks|too little|no free|has no|had no|not have enough\
         |no more|scarce|not have|not sufficient",
        "insufficient|not enough|too few",
    ),
    (
        Unplaced,
        "unbound|not bound|not been bound|never bound|no volume * bound|not yet bound|waits for * volume",
        "unbound|not bound|waitforfirstconsumer|waiting for first consumer",
    ),
    (Unplaced, "taint|tainted|tolerate|toleration|tolerates", "taint|taints|untolerated"),
    (
        Unplaced,
        "no * match|not match|none * match|match no|matches no|mismatch|not satisfied|no * satisfies|no * satisfy|no * fits|fits no|not meet\
         |no * meets|no * has the label",
        "didn't match|does not match|don't match|doesn't match|mismatch|not match|didn't satisfy|not satisfy",
    ),
    (
        Unplaced,
        "cordoned|drained|marked unschedulable|closed for scheduling",
        "were unschedulable|was unschedulable|cordoned",
    ),
    // What became of something.
    (
        Effect,
        "not be scheduled|cannot be scheduled|unschedulable|not scheduled|unscheduled|pending|not been scheduled|not be placed\
         |cannot be placed|not been placed|find no node|finds no node|found no node|fits on no node|fail * scheduling|scheduling * fail\
         |not * assigned|without a node|fails to schedule|failed to schedule|waits for a node",
        "failedscheduling|unschedulable|nodes are available|pending|failed to schedule|scheduling issue",
    ),
    (
        Effect,
        "not be pulled|cannot be pulled|not be fetched|cannot be fetched|not be downloaded|pull * fail|pulls * fail|failed pull\
         |failing pull|failed to pull|fails to pull|fail to pull|pulling * fail|cannot pull|could not pull|not pull|imagepullbackoff\
         |errimagepull|unpullable|pull error|pull failure|image pull",
        "failed to pull|errimagepull|imagepullbackoff|back-off pulling|pull access denied",
    ),
    (
        Effect,
        "crash|crashes|crashing|crash-loop|crash-loops|crash-looping|exits|exit|exited|dies|died|terminates|aborts|aborted|panicked|panic\
         |panics|went down|gone down|go down|goes down|not start|cannot start|not come up|fails to start|failed to start|fail to start\
         |gives up at start|ended with an exception|stops|keeps restarting|ended with",
        "crashloopbackoff|exiting|exited|exit code|fatal|panic|back-off restarting|terminated|traceback|exception|shut down|aborting\
         |crashed|crash|exitcode|failed to start|raise",
    ),
    (
        Effect,
        "fail|fails|failure|failures|error|errors|unsuccessful|could not|couldn't|cannot|unable|not succeed|breaks|broke|go wrong|went wrong",
        "failed|failure|error|fatal|exception|unable|could not|couldn't|cannot|failing|fails|unsuccessful|err",
    ),
    (
        Effect,
        "cannot execute|not execute|not be executed|cannot be executed|cannot run|not be run",
        "exec|cannot execute|failed to exec|error executing",
    ),
    (
        Effect,
        "not be created|cannot be created|creation * fail|not created|not get created|fail to create|failed to create|fails to create\
         |refused * pod|pod * refused|pods * refused|refuse * pods|pod * turned away",
        "error creating|failedcreate|failed to create|cannot create|could not create",
    ),
    (
        Effect,
        "not be written|cannot be written|could not write|cannot write|fails to write|failed to write|writes * fail|write * fail",
        "could not write|cannot write|failed to write|write error|write failed|error writing",
    ),
    (
        Effect,
        "not be mounted|cannot be mounted|mounting * fail|mount * fail",
        "failedmount|unable to attach|mountvolume|failed to mount",
    ),
    (
        Effect,
        "gave up|given up|give up|gives up|giving up|abandoned|abandons|abandon",
        "timed out|timeout|deadline exceeded|giving up|gave up|given up|aborting|fatal|cancelled|canceled|canceling",
    ),
    (
        Effect,
        "reboot|rebooted|went down for a reboot|restart of the machine",
        "will reboot|reboot|rebooted|rebooting|system is rebooting",
    ),
    (
        Effect,
        "accept * connections again|accepted connections|accepts connections|back in service|return * to service|available again|was back\
         |back up|up again|ready again|ready to accept|ready for connections|open for connections|taking connections again|came back\
         |serving again|in service again",
        "ready to accept connections|is available|accepting connections|now available|ready for connections|back online",
    ),
    (
        Effect,
        "refuse connections|refused connections|refusing connections|stopped taking connections|no longer accept|no longer took\
         |stopped accepting|stopped * connections|not accept * connections|accept no|accepted no|rejecting connections|rejected connections\
         |closed to connections|closed for connections|turned * connections away",
        "no connections accepted|not accepting connections|not yet accepting|not currently accepting|connections refused|connection refused",
    ),
    (
        Effect,
        "fell behind|falling behind|falls behind|fall behind|is behind|was behind|lags|lagging|lagged|trailing|lag behind",
        "behind|lag|lagging|falling behind",
    ),
    (
        Effect,
        "rollback|rolled back|roll back|revert|reverted|taken back|undone",
        "rollback|rolled back|revert|reverted|undo",
    ),
    (
        Effect,
        "gone live|went live|goes live|shipped|rolled out|release|released|deploy|deployment|went out",
        "deploy|deployed|deployment|released|rollout|rolled out",
    ),
    (
        Effect,
        "taken out|took out|removed|remove|deleted|delete|removal|deletion",
        "remove|removed|delete|deleted|deletion|removing|deleting|drop",
    ),
    (Effect, "resize|resized|resizing|resizes", "resize|modifying|modified|resizing"),
    (
        Effect,
        "switched on|turned on|enabled|activated|activation",
        "enabled|activated|value on|active",
    ),
    (
        Effect,
        "switched off|turned off|disabled|deactivated",
        "disabled|deactivated|value off|inactive",
    ),
    (
        Effect,
        "took over|taken over|picked up|reloaded|reload|took effect|came into effect|applied",
        "reloading|reloaded|changed to|applied|sighup",
    ),
    (
        Effect,
        "scale to|scaled to|scaled up|scaled out|set the size|raised the size",
        "successfulrescale|new size|scaled up|scaled to",
    ),
    (Effect, "asked * reload|reloaded|told to reload", "sighup|reloading|reload"),
    (Effect, "stopped|stop|halted|shut down", "stopping|stopped|killing|shut down|shutting down"),
    (
        Effect,
        "leak warning|leak warnings|leak detection|leak detector|detected leak|leak was detected|leak report|leak detected|leak alarm",
        "leak detection|leak detected|connection leak",
    ),
    (
        Effect,
        "answered|served|handled|replied",
        "responded|served|http 1.0|http 1.1|http 10|completed request",
    ),
    (
        Effect,
        "validated|checked|validation|verified",
        "validating|validated|validate|verified|validation",
    ),
    (
        Effect,
        "low-storage warning|low storage|low on storage|low on space|space was low|storage was low|storage was running low",
        "storage is getting low|storage space is * low|low storage|low on storage|storage is critically low|low disk space",
    ),
    (Effect, "evicted|eviction|pushed off", "evicted|evicting|eviction"),
    (Effect, "back-off|backoff|back off|backed off", "back-off|backoff|back off"),
];
