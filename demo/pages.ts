import type { AxiosInstance } from 'axios';

interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

/** Every row of a list of the admin API, page after page. */
export async function allRows<T>(admin: AxiosInstance, path: string): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const query: string = new URLSearchParams({ limit: '500', ...(cursor ? { cursor } : {}) }).toString();
    const page: Page<T> = (await admin.get<Page<T>>(`/admin/v1${path}?${query}`)).data;
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor);
  return rows;
}
