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

/**
 * A secret, or several, that a file may change while the process runs: look at `current` whenever it is used. Printed,
 * it is as secret as what it holds.
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
