/** Functions a child process offers, by name. Inputs and results are sent as JSON. */
export type Commands = Readonly<Record<string, (input: never) => Promise<unknown>>>;

export interface Question {
  readonly id: number;
  readonly command: string;
  readonly input: unknown;
}

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/** Serves the parent until it exits. */
export function serve(commands: Commands): void {
  process.on('message', (message) => void answer(commands, message as Question));
  process.on('disconnect', () => process.exit(0));
  process.send?.({ id: 0, result: null } satisfies Answer);
}

async function answer(commands: Commands, { id, command, input }: Question): Promise<void> {
  try {
    const result = (await commands[command]?.(input as never)) ?? null;
    process.send?.({ id, result } satisfies Answer);
  } catch (error) {
    process.send?.({
      id,
      error: error instanceof Error ? `${error.name}: ${error.message}` : 'failed',
    } satisfies Answer);
  }
}
