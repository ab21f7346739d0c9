import { readFileSync } from 'node:fs';

/** The anchor of a heading, as made by code hosts. */
function anchorOf(heading: string): string {
  const plain = heading.trim().toLowerCase().replace(/[`*]/g, '');
  return plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

/** Anchors of the headings in a Markdown file, from level `from` to level `to`, outside code blocks. */
export function anchorsOf(path: string, from = 1, to = 6): string[] {
  const text = readFileSync(path, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const headings = Array.from(text.matchAll(/^(#+)\s+(.*)$/gm), ([, level = '', title = '']) => ({ level, title }));
  return headings.filter(({ level }) => level.length >= from && level.length <= to).map(({ title }) => anchorOf(title));
}
