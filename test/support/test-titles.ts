import { readFileSync } from 'node:fs';
import ts from 'typescript';

const between = ' › ';
const ids = /\s*\[([a-z-]+#[a-z0-9_-]+)\]/g;

/**
 * Titles of every `describe` and `it` of a spec file with the titles around them, as `outer › inner`, without the ids
 * at their end. For a table (`it.each`), the template.
 */
export function titlesOf(path: string): ReadonlySet<string> {
  return new Set(trailsOf(path).map((trail) => trail.replaceAll(ids, '')));
}

/** Headings of docs/upstream that the titles of a spec file name, as `users#create`. */
export function idsOf(path: string): ReadonlySet<string> {
  return new Set(trailsOf(path).flatMap((trail) => Array.from(trail.matchAll(ids), ([, id = '']) => id)));
}

function trailsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const trails: string[] = [];
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const own = ts.isCallExpression(node) ? titleOf(node) : null;
    const trail = own === null ? around : [...around, own];
    if (own !== null) trails.push(trail.join(between));
    ts.forEachChild(node, (child) => visit(child, trail));
  };
  visit(source, []);
  return trails;
}

function titleOf({ expression, arguments: [first] }: ts.CallExpression): string | null {
  if (!first || !ts.isStringLiteralLike(first)) return null;
  return isTestWord(expression) ? first.text : null;
}

/** True for `it` and `describe`, also with `.each`. */
function isTestWord(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return node.text === 'describe' || node.text === 'it';
  if (!ts.isCallExpression(node)) return false;
  const made = node.expression;
  return ts.isPropertyAccessExpression(made) && made.name.text === 'each' && isTestWord(made.expression);
}
