export interface Remedy {
  /** Meaning, Effect, Check, Action, Clears. */
  readonly name: string;
  readonly text: string;
}

const part = /\*\*(Meaning|Effect|Check|Action|Clears)\*\*:?\s*/g;

/** Sections of the runbook by alarm code, split into their parts. */
export function remediesOf(markdown: string): ReadonlyMap<string, readonly Remedy[]> {
  const sections = markdown.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [code = '', ...lines] = section.split('\n');
      const [, ...pieces] = lines.join(' ').replace(/\s+/g, ' ').split(part);
      const remedies = pieces.flatMap((piece, index) =>
        index % 2 === 0 ? [{ name: piece, text: sentence(pieces[index + 1] ?? '') }] : [],
      );
      return [code.trim(), remedies] as const;
    }),
  );
}

/** Makes a sentence of the text after a part's name. */
function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
}

/** Splits a text: parts in backquotes are marked as code, and links become their text. */
export function pieces(text: string): { readonly text: string; readonly isCode: boolean }[] {
  return text
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .split('`')
    .map((piece, index) => ({ text: piece, isCode: index % 2 === 1 }))
    .filter(({ text: piece }) => piece !== '');
}
