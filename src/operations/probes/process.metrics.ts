import { Injectable } from '@nestjs/common';
import { RoleConfig } from '../../platform/config/config.js';
import { version } from '../../platform/config/versions.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Reader } from '../../storage/database/reader.js';
import type { Replica } from '../../storage/database/replica.js';
import { WriteLane } from '../../storage/database/write-lane.js';

/**
 * Metrics of the process itself: its build, memory and processor time, lost log lines, SQLite's log file, the replica.
 */
@Injectable()
export class ProcessMetrics {
  constructor(metrics: Metrics, log: Log, { role }: RoleConfig, { dialect, replica }: Reader, lane: WriteLane) {
    metrics.collectProcess();
    const labels = ['version', 'node', 'database', 'role'] as const;
    const info = metrics.gauge('build_info', 'Always 1; the labels describe the running build', labels);
    const lost = metrics.counter('log_lines_lost_total', 'Log lines dropped because the output was too slow');
    if (dialect === 'sqlite') {
      const help = 'Size of the SQLite write-ahead log file';
      metrics.gauge('sqlite_log_bytes', help, [], (gauge) => gauge.set(lane.logBytes()));
    }
    if (replica) watchReplica(metrics, replica);
    log.onLost((lines) => lost.inc(lines));
    info.set({ version, node: process.versions.node, database: dialect, role }, 1);
  }
}

function watchReplica(metrics: Metrics, replica: Replica): void {
  metrics.gauge('replica_used', '1 if reads may go to the replica of the database, else 0', [], (gauge) =>
    gauge.set(replica.state.fault === null ? 1 : 0),
  );
  const lag = 'Lag of the replica in seconds, as of the last look; NaN if it is unknown';
  metrics.gauge('replica_lag_seconds', lag, [], (gauge) => {
    const { lagMs } = replica.state;
    gauge.set(lagMs === null ? Number.NaN : lagMs / 1_000);
  });
  const help = 'Reads that may go to the replica, by the server that answered';
  const reads = metrics.counter('replica_reads_total', help, ['server']);
  replica.onRead = (server) => reads.inc({ server });
}
