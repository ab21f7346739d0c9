type Scalar = string | number | boolean;
export type Query = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** A value that is not allowed in a URL or header. Names the parameter, never its value. */
export class NotSendable extends Error {
  constructor(readonly parameter: string) {
    super(`cannot be sent: ${parameter}`);
    this.name = 'NotSendable';
  }
}

function segment(name: string, value: string | undefined): string {
  // A dot segment, escaped or not, would be normalised and address another resource.
  if (value === undefined || value === '' || value === '.' || value === '..') throw new NotSendable(name);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new NotSendable(name);
  }
}

/** Fills a template such as `/v2/user/{user_id}`; each value becomes exactly one path segment. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]));
}

/** `?a=1&b=x&b=y`. Repeats the key of a list (docs/upstream/orders.md#list-of-orders); omits null and undefined. */
export function queryString(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const item of Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar]) {
      pairs.append(name, String(item));
    }
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}
