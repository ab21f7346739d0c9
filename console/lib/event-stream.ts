/** Parses the complete server-sent events in a text, and returns the rest of it. */
export function eventsIn(text: string): { readonly events: readonly StreamEvent[]; readonly rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  return { events: blocks.flatMap((block) => eventOf(block) ?? []), rest };
}

export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

function eventOf(block: string): StreamEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const data = fields.get('data');
  return data === undefined ? null : { event: fields.get('event') ?? 'message', id: fields.get('id'), data };
}
