/**
 * A reporter that ends the run if a spec file takes too long. Jest limits only tests and hooks, and cannot interrupt a
 * worker that no longer responds, so one such file would block CI until somebody stops it.
 */
const LONGEST_MS = 15 * 60_000;

export default class HungFiles {
  timers = new Map();

  onTestFileStart({ path }) {
    this.timers.set(
      path,
      setTimeout(() => {
        process.stderr.write(`${path} has not ended in ${LONGEST_MS / 60_000} minutes.\n`);
        process.exit(1);
      }, LONGEST_MS),
    );
  }

  onTestFileResult({ path }) {
    clearTimeout(this.timers.get(path));
    this.timers.delete(path);
  }

  /** Jest reports no result for a file whose worker crashed. */
  onRunComplete() {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }
}
