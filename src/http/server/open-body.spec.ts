import { Type } from 'class-transformer';
import { IsObject, IsString, ValidateNested } from 'class-validator';
import { OpenBody } from './open-body.js';

class Inner {
  @IsString() name: string;
}

class Shape {
  @IsString() title: string;

  @IsObject()
  @ValidateNested()
  @Type(() => Inner)
  inner: Inner;
}

const pipe = new OpenBody(Shape, 200);
const good = { title: 'a', inner: { name: 'b', more: [1] }, other: { x: null } };

describe('an open body', () => {
  it('is passed on unchanged, with undeclared fields', async () => {
    const body = structuredClone(good);
    const passed = await pipe.transform(body);
    expect(passed).toBe(body);
    expect(passed).toEqual(good);
  });

  it('is refused with the path of a declared field that is wrong', async () => {
    const refused = pipe.transform({ ...good, inner: { name: 1 } });
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ field: 'inner.name', message: 'name must be a string' }],
    });
  });

  it.each([undefined, null, 'text', 1, [good]])('is refused when it is %j', async (body) => {
    await expect(pipe.transform(body)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is refused when it is too large, counted in bytes', async () => {
    await expect(pipe.transform({ ...good, other: 'é'.repeat(100) })).rejects.toMatchObject({
      code: 'payload_too_large',
    });
  });
});
