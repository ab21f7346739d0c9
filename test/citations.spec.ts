import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { anchorsOf } from './support/headings.js';

const root = resolve('.');
const codeFolders = ['src', 'sandbox', 'test', 'bench', 'demo', 'harness', 'chaos', 'migrations'];
const filesIn = (folder: string): string[] =>
  readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => resolve(root, folder, name))
    .filter((path) => statSync(path).isFile());

/** Comments of a source file, each as one line: a citation may stand on two. */
function commentsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*(?:\n[ \t]*\/\/.*)*/g) ?? [];
  return comments.map((comment) => comment.replace(/\n\s*(\*(?!\/)|\/\/)?\s*/g, ' '));
}

interface Citation {
  readonly file: string;
  readonly target: string;
}

/** Pages of docs, with or without an anchor, in comments of code. */
function inComments(file: string): Citation[] {
  const found = commentsOf(file).flatMap((comment) => comment.match(/(?<![\w./-])docs\/[\w./-]+\.md(#[\w-]+)?/g) ?? []);
  return found.map((target) => ({ file, target: resolve(root, target) }));
}

/** Links and named pages in documents; links are relative to the document. */
function inDocument(file: string): Citation[] {
  const text = readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const links = Array.from(text.matchAll(/\]\((?!\w+:)([^)\s]*)\)/g), ([, link = '']) => link);
  const named = text.match(/(?<![\w./(-])docs\/[\w./-]+\.md(#[\w-]+)?/g) ?? [];
  return [
    ...links.map((link) => ({ file, target: link.startsWith('#') ? file + link : resolve(dirname(file), link) })),
    ...named.map((target) => ({ file, target: resolve(root, target) })),
  ];
}

function leadsNowhere({ target }: Citation): boolean {
  const [path = '', anchor] = target.split('#');
  if (!existsSync(path)) return true;
  return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).includes(anchor);
}

/** A part of the path may be an example in place of a parameter. */
function isRoute(named: string, known: string): boolean {
  const [parts, others] = [named.split('/'), known.split('/')];
  return parts.length === others.length && others.every((part, at) => part === '{}' || part === parts[at]);
}

const shown = ({ file, target }: Citation): string =>
  `${file.slice(root.length + 1)}: ${target.slice(root.length + 1)}`;

describe('a citation', () => {
  const code = codeFolders.flatMap(filesIn).filter((path) => /\.(ts|mjs)$/.test(path));
  const documents = [
    ...readdirSync(root).map((name) => resolve(root, name)),
    ...['docs', ...codeFolders].flatMap(filesIn),
  ].filter((path) => path.endsWith('.md') && !path.endsWith('CHANGELOG.md'));
  const citations = [...code.flatMap(inComments), ...documents.flatMap(inDocument)];

  it('leads to a file of this repository, and to a heading where it names one', () => {
    expect(citations.length).toBeGreaterThan(200);
    expect(citations.filter(leadsNowhere).map(shown)).toEqual([]);
  });

  it('of a route or a script names one that exists', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as { paths: Record<string, object> };
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`),
    );
    const others = ['upstream', 'decisions', 'sandbox'].map(
      (name) => `${resolve(root, name === 'sandbox' ? name : `docs/${name}`)}/`,
    );
    const here = documents.filter((path) => !others.some((folder) => path.startsWith(folder)));
    const wrong = here.flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const named = text.match(/\b(GET|POST|PUT|PATCH|DELETE) \/(admin\/)?v1\/[\w/{}.-]*[\w}]/g) ?? [];
      const unknown = named.filter((route) => !routes.some((known) => isRoute(route, known)));
      const runs = Array.from(text.matchAll(/npm run (?:--silent )?([a-z:-]+)/g), ([, name = '']) => name);
      return [...unknown, ...runs.filter((name) => !(name in scripts))].map((name) =>
        shown({ file: path, target: `${root}/${name}` }),
      );
    });
    expect(wrong).toEqual([]);
  });

  it('never names a document that is not here', () => {
    const outside =
      /\b(specification|supplement)s?('s)?,? (section |§ ?)?\d|\b(the|wire|upstream's) (specification|supplement)\b|\binterface\.md\b/i;
    const texts = [
      ...code.map((path) => ({ path, lines: commentsOf(path) })),
      ...documents.map((path) => ({ path, lines: [readFileSync(path, 'utf8').replace(/\s+/g, ' ')] })),
    ];
    const wrong = texts.filter(({ lines }) => lines.some((line) => outside.test(line)));
    expect(wrong.map(({ path }) => path.slice(root.length + 1))).toEqual([]);
  });
});
