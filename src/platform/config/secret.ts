import { inspect } from 'node:util';

/** Holds a text that must not be printed: inspecting, concatenating or serialising it shows a placeholder. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    Object.freeze(this);
  }

  /** Returns the text. Call it where the text is used, and keep no copy. */
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

/**
 * One or more secrets that can change while the process runs. Read `current` at each use. Prints no more than its
 * content.
 */
export class Rotating<T> {
  #current: T;

  constructor(current: T) {
    this.#current = Object.freeze(current);
  }

  get current(): T {
    return this.#current;
  }

  replace(next: T): void {
    this.#current = Object.freeze(next);
  }

  toJSON(): T {
    return this.#current;
  }

  [inspect.custom](): T {
    return this.#current;
  }
}
