import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { ChangeConsumerEntity } from './change-consumer.entity.js';

/** A consumer whose next change is older has fallen behind. */
const LAGGING_MS = 15 * 60_000;

const nextAt = `(SELECT h.at FROM changes h WHERE h.number > change_consumers.number ORDER BY h.number LIMIT 1)`;

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
      help: 'Consumers of the change feed whose next change has waited for more than 15 minutes',
      figure: 'consumers_lagging',
    },
  ],
};
