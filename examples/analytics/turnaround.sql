-- How long a lab takes, from the order to its first final result.
SELECT lab_name, COUNT(*) AS orders,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY first_final_at - created_at) AS median,
  percentile_cont(0.9) WITHIN GROUP (ORDER BY first_final_at - created_at) AS of_ten_nine_within
FROM analytics_v1.orders
WHERE first_final_at IS NOT NULL
GROUP BY lab_name
ORDER BY median DESC;
