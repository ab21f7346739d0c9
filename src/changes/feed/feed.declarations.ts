import { newestOfFeed } from '../../storage/change-log/change-log.declarations.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { ChangeConsumerEntity } from './change-consumer.entity.js';

/** A consumer is behind if its next change is older than this. */
const LAGGING_MS = 15 * 60_000;

/** SQL condition: the position belongs to this feed, which was not reset since (storage/change-log/cursor.ts). */
const isOfThisFeed = `change_consumers.feed = ${newestOfFeed.id} AND change_consumers.number <= ${newestOfFeed.number}
  AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.number = change_consumers.number AND c.at <> change_consumers.at
    AND change_consumers.at <> 0)`;

/** SQL for the time of a consumer's next change; for a position of another feed, that of the oldest change. */
const nextAt = `(SELECT h.at FROM changes h WHERE h.number > CASE
  WHEN ${isOfThisFeed} THEN change_consumers.number ELSE 0 END ORDER BY h.number LIMIT 1)`;

export const feedDeclarations: RoomDeclarations = {
  entities: [ChangeConsumerEntity],
  kept: { change_consumers: 'names and positions of services that follow the changes; no personal data' },
  figures: {
    consumers_lagging: `SELECT COUNT(*) FROM change_consumers WHERE ${nextAt} + ${LAGGING_MS} < :now`,
    consumers_lagging_since: `SELECT MIN(${nextAt}) FROM change_consumers WHERE ${nextAt} + ${LAGGING_MS} < :now`,
  },
  gauges: [
    {
      name: 'change_consumers_lagging',
      help: 'Consumers of the change feed that are more than 15 minutes behind',
      figure: 'consumers_lagging',
    },
  ],
};
