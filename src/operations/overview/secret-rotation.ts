import { Injectable } from '@nestjs/common';
import { ConfigError } from '../../platform/config/environment.js';
import type { Reread, SecretFiles } from '../../platform/config/secret-files.js';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ThisProcess } from '../../platform/platform/this-process.js';

/** Reads the files of secrets again, on SIGHUP, and says what became of it: log, count and alarm. */
@Injectable()
export class SecretRotation {
  private readonly rereads;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {
    this.rereads = metrics.counter('secret_rereads_total', 'Times the files of secrets were read again', ['outcome']);
  }

  /** Never throws: with files that cannot be used, the secrets before them stay in use. */
  reread(files: SecretFiles): void {
    try {
      this.done(files.reread());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.refused(error);
    }
  }

  private done({ rotated, needRestart }: Reread): void {
    this.rereads.inc({ outcome: rotated.length > 0 ? 'rotated' : 'unchanged' });
    this.thisProcess.clear('secret_files_refused');
    this.log.event('config.secrets_reread', { variable_names: rotated });
    if (needRestart.length > 0) {
      this.log.event('config.secrets_need_restart', { variable_names: needRestart }, 'warn');
    }
  }

  /** A problem of another variable than a file's own, such as a key of another region, is named by that one. */
  private refused({ problems }: ConfigError): void {
    this.rereads.inc({ outcome: 'refused' });
    this.thisProcess.note('secret_files_refused', this.clock.now());
    const variable_names = [...new Set(problems.map(({ variable }) => variable))];
    this.log.event('config.secrets_refused', { variable_names }, 'error');
  }
}
