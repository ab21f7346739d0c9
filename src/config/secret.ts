import { inspect } from 'node:util';

/** Holds a text that must not be printed: inspecting, joining or serialising it shows a mark instead. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    Object.freeze(this);
  }

  /** The text itself; call it where it is used, and keep no copy. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
