export interface UploadedReport {
  needs_human_review: boolean;
  files: { name: string; type: string; bytes: number }[];
}

export interface ParsingJob {
  id: string;
  status: string;
  failure_reason: string | null;
  data: object | null;
  needs_human_review: boolean;
  is_reviewed: boolean;
}
