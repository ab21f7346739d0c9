import { randomBytes } from 'node:crypto';

export interface FilePart {
  readonly name: string;
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** A `multipart/form-data` body. Names and types come from our own code. */
export class Multipart {
  readonly contentType: string;
  readonly bytes: Buffer;

  constructor(fields: Readonly<Record<string, string>>, files: readonly FilePart[]) {
    const boundary = `pulsekeep-${randomBytes(18).toString('hex')}`;
    const head = (lines: readonly string[]): Buffer => Buffer.from(`--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n`);
    const end = Buffer.from('\r\n');
    const texts = Object.entries(fields).flatMap(([name, value]) => [
      head([`content-disposition: form-data; name="${name}"`]),
      Buffer.from(value),
      end,
    ]);
    const parts = files.flatMap(({ name, fileName, type, bytes }) => [
      head([`content-disposition: form-data; name="${name}"; filename="${fileName}"`, `content-type: ${type}`]),
      bytes,
      end,
    ]);
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    this.bytes = Buffer.concat([...texts, ...parts, Buffer.from(`--${boundary}--\r\n`)]);
  }
}
