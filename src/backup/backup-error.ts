/** Why a backup cannot be made, is not good, or cannot be put back. Sentences without a value of any row. */
export class BackupError extends Error {
  override readonly name = 'BackupError';

  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(problems.join('\n'), options);
  }
}
