import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { hasBegun, type Measure, measured } from './pdf-download.js';

interface Told {
  whole: Measure[];
  cut: Error[];
}

function under(source: Readable): { out: Readable; told: Told } {
  const told: Told = { whole: [], cut: [] };
  const out = measured(source, {
    whole: async (measure) => void told.whole.push(measure),
    cut: (error) => void told.cut.push(error),
  });
  return { out, told };
}

describe('a measured stream', () => {
  it('passes the bytes on and reports their size and digest before it ends', async () => {
    const bytes = Buffer.from('%PDF-1.4 \u0000 end');
    const { out, told } = under(Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]));
    expect(await buffer(out)).toEqual(bytes);
    expect(told).toEqual({
      whole: [{ checksum: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length, content: null }],
      cut: [],
    });
  });

  it('does not read ahead of its reader by more than its buffers hold', async () => {
    const chunk = Buffer.alloc(65_536);
    let asked = 0;
    const source = new Readable({
      read() {
        asked += 1;
        this.push(asked < 1_000 ? chunk : null);
      },
    });
    const { out } = under(source);
    await hasBegun(out);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBeLessThan(10);
    out.destroy();
  });

  it('ends with the error of its source', async () => {
    const source = new PassThrough();
    const { out, told } = under(source);
    source.write('%PDF');
    expect(await hasBegun(out)).toBe(true);
    source.destroy(new Error('upstream broke'));
    await expect(buffer(out)).rejects.toThrow('upstream broke');
    expect(told).toMatchObject({ whole: [], cut: [{ message: 'upstream broke' }] });
  });

  it('closes its source when the reader leaves', async () => {
    const source = new PassThrough();
    const { out, told } = under(source);
    source.write('%PDF');
    await hasBegun(out);
    const closed = new Promise((resolve) => source.once('close', resolve));
    out.destroy();
    await closed;
    expect(told.whole).toEqual([]);
    expect(told.cut).toHaveLength(1);
  });

  it('begins with its first byte', async () => {
    expect(await hasBegun(under(Readable.from([])).out)).toBe(false);
  });

  it('that fails before its first byte rejects with the reason', async () => {
    const source = new PassThrough();
    const begun = hasBegun(under(source).out);
    source.destroy(new Error('no byte'));
    await expect(begun).rejects.toThrow('no byte');
  });
});
