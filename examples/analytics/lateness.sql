-- How late a provider's new samples arrive, from the time they are about: messages of the last 7 days only, because a
-- pull of the past says nothing about lateness. A forecast or a clock ahead counts as on time.
SELECT provider, COUNT(*) AS samples,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY GREATEST(observed_at - COALESCE(end_time, time), INTERVAL '0')) AS median,
  percentile_cont(0.9) WITHIN GROUP (ORDER BY GREATEST(observed_at - COALESCE(end_time, time), INTERVAL '0')) AS of_ten_nine_within
FROM analytics_v1.samples
WHERE origin = 'message' AND NOT time_is_floating
  AND time_ms >= EXTRACT(EPOCH FROM now() - INTERVAL '7 days') * 1000
GROUP BY provider
ORDER BY median DESC;
