/** The error code of a failed operation, or `done`. */
export async function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  try {
    await outcome;
    return 'done';
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
