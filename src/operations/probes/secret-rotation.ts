import { Injectable } from '@nestjs/common';
import { ConfigError } from '../../platform/config/environment.js';
import type { Reread, SecretFiles } from '../../platform/config/secret-files.js';
import { Clock } from '../../platform/platform/clock.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { Outcomes } from '../../platform/platform/outcomes.js';
import { ThisProcess } from '../../platform/platform/this-process.js';

/** Reloads secret files on SIGHUP and reports the outcome as log event, counter and alarm. */
@Injectable()
export class SecretRotation {
  private readonly rereads: Outcomes;

  constructor(
    private readonly log: Log,
    metrics: Metrics,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
  ) {
    this.rereads = new Outcomes(log, metrics, 'secret_rereads_total', 'Reloads of the secret files by outcome');
  }

  /** Never throws: if the files are invalid, the previous secrets remain in use. */
  reread(files: SecretFiles): void {
    try {
      this.done(files.reread());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.refused(error);
    }
  }

  private done({ rotated, needRestart }: Reread): void {
    this.thisProcess.clear('secret_files_refused');
    const outcome = rotated.length > 0 ? 'rotated' : 'unchanged';
    this.rereads.note(outcome, 'config.secrets_reread', { variable_names: rotated });
    if (needRestart.length > 0) {
      this.log.event('config.secrets_need_restart', { variable_names: needRestart }, 'warn');
    }
  }

  /** Names the variable with the problem, which may not be the changed one (e.g. a key of another region). */
  private refused({ problems }: ConfigError): void {
    this.thisProcess.note('secret_files_refused', this.clock.now());
    const variable_names = [...new Set(problems.map(({ variable }) => variable))];
    this.rereads.note('refused', 'config.secrets_refused', { variable_names }, 'error');
  }
}
