/** Something that a scenario must close at its end. */
export interface Part {
  end(): Promise<void>;
}

export type Keep = <P extends Part>(part: P) => P;

/** Runs a scenario, then closes everything passed to `keep` in reverse order, also after an error. */
export async function staged<T>(play: (keep: Keep) => Promise<T>): Promise<T> {
  const parts: Part[] = [];
  try {
    return await play((part) => {
      parts.push(part);
      return part;
    });
  } finally {
    for (const part of parts.reverse()) await part.end();
  }
}
