-- Who wore a device on at least 16 of the last 30 days: days (UTC) with a heart rate, from any source.
SELECT account_ref, COUNT(DISTINCT (time AT TIME ZONE 'UTC')::date) AS days
FROM analytics_v1.samples
WHERE resource = 'heartrate'
  AND time_ms >= EXTRACT(EPOCH FROM date_trunc('day', now() AT TIME ZONE 'UTC') - INTERVAL '30 days') * 1000
  AND time_ms < EXTRACT(EPOCH FROM date_trunc('day', now() AT TIME ZONE 'UTC')) * 1000
GROUP BY account_ref
HAVING COUNT(DISTINCT (time AT TIME ZONE 'UTC')::date) >= 16
ORDER BY account_ref;
