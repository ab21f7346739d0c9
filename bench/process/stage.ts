/** Whatever a scenario has to end once it is over. */
export interface Part {
  end(): Promise<void>;
}

export type Keep = <P extends Part>(part: P) => P;

/** Runs a scenario, and ends what it kept, last first, however it went. */
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
