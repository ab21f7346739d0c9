export const type = 'application/x-ndjson';
export const disposition = 'attachment; filename="export.ndjson"';

const example =
  '{"type":"header","account_id":"customer-1","exported_at":"2026-11-20T12:00:00.000Z","version":"0.9.0"}\n';

const text = `One JSON object per line: {"type":"header","account_id","exported_at","version"}, then {"type","data"}
for each stored row, then {"type":"footer","counts"} with the number of each type. Without the footer the export is
incomplete. Records look as in the list of records. A message has its body as text, or as base64 if it is not UTF-8.
Other types are named after their tables.`;

/** For the OpenAPI document. */
export const exportContent = { [type]: { schema: { type: 'string', example } } } as const;
export const exportDescription = text.replaceAll('\n', ' ');
