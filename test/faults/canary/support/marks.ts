import { randomBytes, randomInt } from 'node:crypto';

/** Encodings in which a needle may appear inside other text. */
function disguises(needle: string): string[] {
  const bytes = Buffer.from(needle);
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url');
    // Without the signs at both ends that depend on the neighbours.
    return text
      .slice(offset === 0 ? 0 : offset + 1, -2)
      .replaceAll('-', '.')
      .replaceAll('_', '.');
  });
  const forms = [needle, encodeURIComponent(needle), bytes.toString('hex'), JSON.stringify(needle).slice(1, -1)];
  return [...forms.map((form) => form.toLowerCase()), ...inBase64];
}

/** Values that exist nowhere else: wherever one turns up where none belongs, it has leaked. */
export class Marks {
  private readonly made = new Map<string, readonly string[]>();

  /** A text, such as a name or a token; `kind` says of what. */
  text(kind: string): string {
    return this.known(kind, `Canary${randomBytes(8).toString('hex')}`);
  }

  /** A text that looks like a person's address. */
  address(kind: string): string {
    return this.known(kind, `canary.${randomBytes(8).toString('hex')}@person.example`);
  }

  /** A health value: a number that occurs nowhere else. */
  number(kind: string): number {
    const value = 40 + randomInt(1e11) / 1e10;
    this.known(kind, String(value));
    return value;
  }

  /** Something that was made elsewhere and must not turn up either. */
  known(kind: string, value: string): string {
    this.made.set(value, disguises(value));
    if (!this.kinds.has(value)) this.kinds.set(value, kind);
    return value;
  }

  /** Kinds of marks found in a text; never the value itself. */
  in(text: string): string[] {
    const lower = text.toLowerCase();
    const plain = text.replaceAll(/[-_+/]/g, '.');
    const found = [...this.made].filter(([, forms]) =>
      forms.some((form) => lower.includes(form) || plain.includes(form)),
    );
    return [...new Set(found.map(([value]) => this.kinds.get(value) ?? ''))];
  }

  private readonly kinds = new Map<string, string>();
}
