import { Injectable } from '@nestjs/common';
import { RoleConfig } from '../../platform/config/config.js';
import { version } from '../../platform/config/versions.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Reader } from '../../storage/database/reader.js';
import { WriteLane } from '../../storage/database/write-lane.js';

/** Metrics of the process itself: its build, memory and processor time, lost log lines, SQLite's log file. */
@Injectable()
export class ProcessMetrics {
  constructor(metrics: Metrics, log: Log, { role }: RoleConfig, { dialect }: Reader, lane: WriteLane) {
    metrics.collectProcess();
    const labels = ['version', 'node', 'database', 'role'] as const;
    const info = metrics.gauge('build_info', 'Always 1; the labels describe the running build', labels);
    const lost = metrics.counter('log_lines_lost_total', 'Log lines dropped because the output was too slow');
    if (dialect === 'sqlite') {
      const help = 'Size of the SQLite write-ahead log file';
      metrics.gauge('sqlite_log_bytes', help, [], (gauge) => gauge.set(lane.logBytes()));
    }
    log.onLost((lines) => lost.inc(lines));
    info.set({ version, node: process.versions.node, database: dialect, role }, 1);
  }
}
