import { FormFile, readForm } from './form-body.js';

const type = 'multipart/form-data; boundary=xyz';

function form(...parts: readonly (readonly [headers: string, body: string | Buffer])[]): Buffer {
  const written = parts.flatMap(([headers, body]) => [
    Buffer.from(`--xyz\r\ncontent-disposition: form-data; ${headers}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...written, Buffer.from('--xyz--\r\n')]);
}

const file = (name: string): string => `name="file"; filename="${name}"\r\ncontent-type: text/html`;

describe('a form', () => {
  it('has the bytes of its files in their order, and texts', async () => {
    const bytes = Buffer.from([0x25, 0, 0x0d, 0x0a, 0x2d, 0x2d, 0xff]);
    const read = await readForm(form([file('one.pdf'), bytes], [file('two'), ''], ['name="other"', 'true']), type);
    expect(read).toEqual({ file: [new FormFile(bytes), new FormFile(Buffer.alloc(0))], other: ['true'] });
  });

  it.each([
    ['no boundary', 'multipart/form-data', form(['name="a"', 'b'])],
    ['another boundary', 'multipart/form-data; boundary=abc', form(['name="a"', 'b'])],
    ['no end', type, form(['name="a"', 'b']).subarray(0, 40)],
    ['no parts', type, Buffer.from('')],
    ['too many parts', type, form(...Array.from({ length: 17 }, () => ['name="a"', 'b'] as const))],
  ])('with %s is refused', async (_, contentType, bytes) => {
    await expect(readForm(bytes, contentType)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('may name a field like an inherited one, without touching what inherits it', async () => {
    const read = await readForm(form(['name="__proto__"', 'b']), type);
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('b');
  });
});
