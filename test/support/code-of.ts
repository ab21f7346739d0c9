/** The code an operation of ours fails with, or `done`. */
export async function codeOf(outcome: Promise<unknown>): Promise<unknown> {
  try {
    await outcome;
    return 'done';
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
