import type { OpenAPIObject } from '@nestjs/swagger';
import { breakingChanges } from './breaking.js';

const json = (schema: object): object => ({ content: { 'application/json': { schema } } });
const object = (properties: object, required: string[] = []): object => ({ type: 'object', required, properties });
const text = { type: 'string' };

interface Parts {
  readonly sent?: object;
  readonly answered?: object;
  readonly parameters?: object[];
  readonly path?: string;
  readonly status?: number;
}

function document({ sent, answered, parameters, path = '/a', status = 200 }: Parts): OpenAPIObject {
  const post = {
    parameters,
    requestBody: json(sent ?? object({ name: text, colour: { type: 'string', enum: ['red', 'blue'] } }, ['name'])),
    responses: { [status]: json(answered ?? { $ref: '#/components/schemas/Answer' }) },
  };
  const Answer = object({ id: text, next: { $ref: '#/components/schemas/Answer' } }, ['id']);
  const Either = { oneOf: [{ $ref: '#/components/schemas/Answer' }, text] };
  return { paths: { [path]: { post } }, components: { schemas: { Answer, Either } } } as unknown as OpenAPIObject;
}

const query = (more: object): object => ({ name: 'q', in: 'query', schema: text, ...more });

describe('between two versions of the document', () => {
  it.each<[string, Parts, Parts, string]>([
    ['a path that is gone', {}, { path: '/b' }, 'POST /a is gone'],
    ['a status that is gone', {}, { status: 201 }, 'POST /a no longer answers 200'],
    ['a field of an answer that is gone', {}, { answered: object({}) }, 'POST /a 200 .id is gone'],
    [
      'a field of an answer that may be missing',
      {},
      { answered: object({ id: text, next: {} }) },
      'POST /a 200 .id may be missing',
    ],
    [
      'a further type of an answer',
      { answered: text },
      { answered: { type: ['string', 'null'] } },
      'POST /a 200 may now be null',
    ],
    ['a new type of an answer', { answered: text }, { answered: { type: 'integer' } }, 'may now be integer'],
    [
      'a field that a request needs',
      {},
      { sent: object({ name: text, colour: text }, ['name', 'colour']) },
      '.colour is needed',
    ],
    ['a field of a request that is gone', {}, { sent: object({ name: text }, ['name']) }, '.colour is gone'],
    [
      'a word that is no longer taken',
      {},
      { sent: object({ name: text, colour: { ...text, enum: ['red'] } }, ['name']) },
      '.colour no longer takes blue',
    ],
    [
      'words where any text was taken',
      {},
      { sent: object({ name: { ...text, enum: ['x'] }, colour: text }, ['name']) },
      '.name takes only some words',
    ],
    ['a type that is no longer taken', { sent: { type: ['string', 'null'] } }, { sent: text }, 'no longer takes null'],
    ['a parameter that is gone', { parameters: [query({})] }, {}, 'parameter query q is gone'],
    ['a parameter that is needed', {}, { parameters: [query({ required: true })] }, 'parameter query q is needed'],
    [
      'a shape that is gone',
      { answered: { oneOf: [{ $ref: '#/components/schemas/Answer' }] } },
      { answered: { oneOf: [] } },
      'Answer is gone',
    ],
  ])('%s breaks clients', (_, before, after, change) => {
    const changes = breakingChanges(document(before), document(after));
    expect(changes.filter((found) => found.endsWith(change))).toHaveLength(1);
  });

  it.each<[string, Parts, Parts]>([
    ['nothing', {}, {}],
    ['a parameter more', {}, { parameters: [query({})] }],
    [
      'a field of an answer more',
      {},
      { answered: object({ id: text, next: { $ref: '#/components/schemas/Answer' }, more: text }, ['id', 'more']) },
    ],
    [
      'an optional field of a request more, and a word',
      {},
      { sent: object({ name: text, colour: { ...text, enum: ['red', 'blue', 'green'] }, size: text }, ['name']) },
    ],
    ['a type less of an answer', { answered: { type: ['string', 'null'] } }, { answered: text }],
    [
      'a list of words in place of a text with commas',
      { parameters: [query({})] },
      { parameters: [query({ explode: false, schema: { type: 'array', items: { ...text, enum: ['x'] } } })] },
    ],
    [
      'one shape of an answer that could have several',
      { answered: { anyOf: [{ $ref: '#/components/schemas/Either' }, { type: 'null' }] } },
      { answered: { anyOf: [{ $ref: '#/components/schemas/Answer' }, { type: 'null' }] } },
    ],
    ['a type more that is taken', { sent: text }, { sent: { type: ['string', 'null'] } }],
  ])('%s breaks none', (_, before, after) => {
    expect(breakingChanges(document(before), document(after))).toEqual([]);
  });
});
