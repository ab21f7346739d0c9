-- Bytes of a model person (1,900 samples a day in four series) on PostgreSQL for a year, as samples and as hourly sums:
-- psql -f bench/sample-hours.sql postgres://... of a migrated database. Writes only temporary tables.
CREATE TEMP TABLE model_samples (LIKE samples INCLUDING ALL);
CREATE TEMP TABLE model_hours (LIKE sample_hours INCLUDING ALL);
INSERT INTO model_samples (series_id, time, sibling, value, group_id)
SELECT s.id, at, 0, 50 + at / 1000 % 90, 5000 + at / 800000
FROM (VALUES (1, 60000), (2, 300000), (3, 1000000), (4, 1000000)) AS s (id, step),
  generate_series(1735689600000, 1735689600000 + 365 * 86400000::bigint - 1, s.step) AS at;
INSERT INTO model_hours (series_id, time, attributes_id, end_time, count, sum, min, max, first_at, first, last_at, last,
  observation_id)
SELECT series_id, time - time % 3600000, 1, time - time % 3600000 + 3600000, COUNT(*), SUM(value), MIN(value), MAX(value),
  MIN(time), MIN(value), MAX(time), MAX(value), MAX(group_id)
FROM model_samples GROUP BY series_id, time - time % 3600000 ORDER BY 1, 2;
SELECT name, count, ROUND(bytes::numeric / count, 1) AS bytes_a_row, bytes / 365 AS bytes_a_day FROM (
  SELECT 'samples' AS name, (SELECT COUNT(*) FROM model_samples) AS count,
    pg_table_size('model_samples') + pg_indexes_size('model_samples') AS bytes
  UNION ALL SELECT 'sample_hours', (SELECT COUNT(*) FROM model_hours),
    pg_table_size('model_hours') + pg_indexes_size('model_hours')) AS sizes;
