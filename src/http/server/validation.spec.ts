import 'reflect-metadata';
import assert from 'node:assert/strict';
import { type Type, ValidationPipe } from '@nestjs/common';
import { Type as Nested } from 'class-transformer';
import { IsBoolean, IsOptional, IsString, ValidateNested, type ValidationError } from 'class-validator';
import { AppError, type FieldError } from '../../platform/platform/errors.js';
import { PageQuery } from './page-query.js';
import {
  IsCalendarDate,
  IsIanaTimeZone,
  invalidRequest,
  ToBool,
  ToInstant,
  ToInt,
  validationOptions,
} from './validation.js';

const marker = 'MARKED-VALUE';

class Leaf {
  @IsString()
  c: string;
}

class Branch {
  @ValidateNested({ each: true })
  @Nested(() => Leaf)
  b: Leaf[];
}

class Tree {
  @ValidateNested()
  @Nested(() => Branch)
  a: Branch;
}

class Query {
  @IsOptional()
  @ToBool()
  active?: boolean;

  @IsOptional()
  @ToInt({ min: 1, max: 10 })
  count?: number;

  @IsOptional()
  @ToInstant()
  start?: number;
}

class Body {
  @IsOptional()
  @IsBoolean()
  flag?: boolean;

  @IsOptional()
  @IsIanaTimeZone()
  zone?: string;

  @IsOptional()
  @IsCalendarDate()
  day?: string;
}

class Needing {
  @IsString()
  @IsIanaTimeZone()
  zone: string;
}

const pipe = new ValidationPipe(validationOptions);

async function read<T extends object>(metatype: Type<T>, value: unknown): Promise<T> {
  return (await pipe.transform(value, { type: 'body', metatype })) as T;
}

async function fieldsOf(metatype: Type<object>, value: unknown): Promise<FieldError[]> {
  const refusal: unknown = await read(metatype, value).catch((error: unknown) => error);
  if (!(refusal instanceof AppError) || refusal.code !== 'invalid_request') throw new Error('the value was accepted');
  return refusal.fields ?? [];
}

describe('validation', () => {
  it('says of a missing field only that it is required', async () => {
    expect(await fieldsOf(Needing, {})).toEqual([{ field: 'zone', message: 'zone is required' }]);
    expect(await fieldsOf(Needing, { zone: 7 })).toHaveLength(2);
  });

  it('reads true and false as booleans', async () => {
    expect(await read(Query, { active: 'false' })).toEqual({ active: false });
    expect(await read(Query, { active: 'true' })).toEqual({ active: true });
  });

  it.each(['TRUE', '1', '0', 'yes', '', ['true'], 1, true])(
    'does not read %j as true or false in a query',
    async (active) => {
      expect(await fieldsOf(Query, { active })).toEqual([{ field: 'active', message: 'active must be true or false' }]);
    },
  );

  it('converts nothing in a body', async () => {
    expect(await fieldsOf(Body, { flag: 'false' })).toEqual([expect.objectContaining({ field: 'flag' })]);
    expect(await read(Body, { flag: false })).toEqual({ flag: false });
  });

  it.each(['0', '11', '1.0', '1e1', ' 5', '0x5', '', 'NaN', ['5'], {}])(
    'does not read %j as a count',
    async (count) => {
      expect(await fieldsOf(Query, { count })).toEqual([
        { field: 'count', message: 'count must be a whole number from 1 to 10' },
      ]);
    },
  );

  it('converts instants to milliseconds and refuses anything else', async () => {
    expect(await read(Query, { start: '2026-01-31' })).toEqual({ start: Date.UTC(2026, 0, 31) });
    expect(await fieldsOf(Query, { start: 'yesterday' })).toHaveLength(1);
    expect(await fieldsOf(Query, { start: 1_700_000_000_000 })).toHaveLength(1);
  });

  it('names a field that is not declared, and those that are', async () => {
    const [refused] = await fieldsOf(Query, { colour: marker });
    expect(refused?.field).toBe('colour');
    expect(refused?.message).toMatch(/^this field is unknown; known are (\w+, )*count, (\w+, )*start(, \w+)*$/);
  });

  it('names nested fields by their path', async () => {
    const fields = await fieldsOf(Tree, { a: { b: [{ c: 1 }, { c: 'fine', d: marker }] } });
    expect(fields.map(({ field }) => field)).toEqual(['a.b[0].c', 'a.b[1].d']);
  });

  it('never repeats a value', async () => {
    const fields = [
      ...(await fieldsOf(Query, { active: marker, count: marker, start: marker })),
      ...(await fieldsOf(Body, { flag: marker, zone: marker, day: marker })),
      ...(await fieldsOf(Tree, { a: marker })),
      ...(await fieldsOf(PageQuery, { cursor: [marker], limit: marker })),
    ];
    expect(fields.length).toBeGreaterThanOrEqual(9);
    expect(JSON.stringify(fields)).not.toContain(marker);
  });

  it('reports at most fifty faults, each cut to a readable length', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'x'.repeat(500)}${index}`, 1]));
    const fields = await fieldsOf(Query, many);
    expect(fields).toHaveLength(50);
    expect(fields.every(({ field, message }) => field.length <= 200 && message.length <= 200)).toBe(true);
  });

  it('looks at no more faults than it reports', () => {
    const fault = (property: string): ValidationError => ({ property, constraints: { one: 'is wrong' } });
    const far = Object.defineProperty(fault('far'), 'constraints', { get: () => assert.fail('looked at') });
    const refusal = invalidRequest([{ property: 'list', children: [...Array(50).fill(fault('near')), far] }, far]);
    expect(refusal.fields).toHaveLength(50);
  });

  it.each(['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    'knows the zone %s',
    async (zone) => {
      expect(await read(Body, { zone })).toEqual({ zone });
    },
  );

  it.each(['+02:00', 'Mars/Base', '', 7, 'Europe/Berlin '])('refuses the zone %j [users#fallbacks]', async (zone) => {
    expect(await fieldsOf(Body, { zone })).toHaveLength(1);
  });

  it('accepts dates that exist [users#fallbacks]', async () => {
    expect(await read(Body, { day: '2024-02-29' })).toEqual({ day: '2024-02-29' });
    expect(await fieldsOf(Body, { day: '2025-02-29' })).toHaveLength(1);
    expect(await fieldsOf(Body, { day: '2025-02-28T00:00:00Z' })).toHaveLength(1);
  });
});

describe('PageQuery', () => {
  it('has a limit of 100 unless told otherwise', async () => {
    expect((await read(PageQuery, {})).limit).toBe(100);
    expect((await read(PageQuery, { limit: '500' })).limit).toBe(500);
  });

  it.each(['0', '501', '-1', 'all'])('refuses the limit %s', async (limit) => {
    expect(await fieldsOf(PageQuery, { limit })).toEqual([
      { field: 'limit', message: 'limit must be a whole number from 1 to 500' },
    ]);
  });
});
