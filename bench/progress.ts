import { SingleBar } from 'cli-progress';

/** Where the run is: a bar on a terminal, one line a scenario otherwise. On standard error, results go to the other. */
export class Progress {
  private readonly bar: SingleBar | null;
  private scenario = '';

  constructor(private readonly scenarios: number) {
    this.bar = process.stderr.isTTY
      ? new SingleBar({ format: '{bar} {value}/{total}  {label}', clearOnComplete: true, stream: process.stderr })
      : null;
    this.bar?.start(scenarios, 0, { label: '' });
  }

  begin(scenario: string, done: number): void {
    this.scenario = scenario;
    if (this.bar) this.bar.update(done, { label: scenario });
    else process.stderr.write(`${done + 1}/${this.scenarios} ${scenario}\n`);
  }

  step(label: string): void {
    this.bar?.update({ label: `${this.scenario}: ${label}` });
  }

  end(): void {
    this.bar?.stop();
  }
}
