import type { Config } from '../../platform/config/config.js';

interface Shown {
  readonly name: string;
  readonly value: string | null;
}

type Value = string | number | boolean | readonly string[] | undefined;

/** Values as the process uses them, of variables that any caller with a key may see. */
export function shownVariables(config: Config): Shown[] {
  const { http, role, upstream, webhook, sync, deletions, alert, retention, accessLog, people } = config;
  const { erasure, backup, disk, link, appAuth, appResults, callerLimits, push, log } = config;
  const values: Readonly<Record<string, Value>> = {
    ROLE: role.role,
    HOST: http.host,
    PORT: http.port,
    HTTP_KEEP_ALIVE_SECONDS: http.keepAliveSeconds,
    DRAIN_SECONDS: http.drainSeconds,
    TRUSTED_PROXIES: http.trustedProxies,
    CORS_ORIGINS: http.corsOrigins,
    UPSTREAM_API_KEY_HEADER: upstream.apiKeyHeader,
    UPSTREAM_AVAILABILITY_INPUT: upstream.availabilityInput,
    UPSTREAM_MAX_CONCURRENCY: upstream.maxConcurrency,
    UPSTREAM_REQUESTS_PER_SECOND: upstream.requestsPerSecond,
    UPSTREAM_TIMEOUT_MS: upstream.timeoutMs,
    WEBHOOK_TOLERANCE_SECONDS: webhook.toleranceSeconds,
    WEBHOOK_MAX_BYTES: webhook.maxBytes,
    SYNC_RESOURCES: sync.resources,
    SYNC_INTERVAL_SECONDS: sync.intervalSeconds,
    SYNC_MAX_INTERVAL_SECONDS: sync.maxIntervalSeconds,
    SYNC_LOOKBACK_HOURS: sync.lookbackHours,
    SYNC_BACKFILL_DAYS: sync.backfillDays,
    DELETIONS: deletions.modes.text,
    DELETION_CONFIRM_HOURS: deletions.confirmHours,
    DELETION_HOLD_SHARE: deletions.holdShare,
    SILENCE_ALERT_HOURS: alert.silenceHours,
    MESSAGE_RETENTION_DAYS: retention.messageDays,
    HISTORY_RETENTION_DAYS: retention.historyDays,
    ACCESS_LOG_REASONS: accessLog.reasons,
    ERASURE_JOURNAL_PATH: erasure.journalPath,
    BACKUP_FOLDER: backup.folder,
    BACKUP_INTERVAL_HOURS: backup.intervalHours,
    DISK_LOW_BYTES: disk.lowBytes,
    APP_JWT_JWKS_URL: appAuth.keySet && 'url' in appAuth.keySet ? appAuth.keySet.url : undefined,
    APP_JWT_ISSUER: appAuth.issuers,
    APP_JWT_AUDIENCE: appAuth.audiences,
    APP_JWT_CLIENT_IDS: appAuth.clientIds,
    APP_JWT_ACCOUNT_CLAIM: appAuth.accountClaim,
    APP_LINK_REDIRECT_ORIGINS: link.redirectOrigins,
    APP_RESULTS: appResults.shown,
    ACCOUNT_REQUESTS_PER_MINUTE: callerLimits.accountRequestsPerMinute,
    PUSH_ALLOWED_NETWORKS: push.allowedNetworks,
    OIDC_ISSUER: people.issuer,
    OIDC_CLIENT_ID: people.clientId,
    OIDC_ROLES: people.roles.map(({ claim, value, role: given }) => `${claim}:${value}=${given}`),
    LOG_LEVEL: log.level,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: textOf(value) }));
}

function textOf(value: Value): string | null {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? null : text;
}
