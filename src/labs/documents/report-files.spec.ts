import { hasMorePagesThan } from './report-files.js';

const page = (number: number): string => `${number} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`;
const pages = (count: number): string => Array.from({ length: count }, (_, index) => page(index + 3)).join('');
const pdf = (text: string): Buffer => Buffer.from(`%PDF-1.7\n2 0 obj<</Type/Pages/Count 99>>endobj\n${text}%%EOF`);

describe('the pages of a PDF', () => {
  it.each([
    ['as many as allowed', pages(30), false],
    ['one more', pages(31), true],
    ['some that were changed later, with the same numbers', pages(30) + pages(5), false],
    ['none in plain sight', '7 0 obj<</Type/ObjStm>>endobj', false],
  ])('%s', (_, text, more) => {
    expect(hasMorePagesThan(pdf(text), 30)).toBe(more);
  });
});
