import type { LabTest } from '../facts/lab-tests.js';

export interface OrderEvent {
  id: number;
  created_at: string;
  status: string;
  status_detail?: string;
}

export type Origin = 'initial' | 'redraw' | 'recreation';

export interface Order {
  id: string;
  userId: string;
  transactionId: string;
  origin: Origin;
  parentId: string | null;
  labTest: LabTest;
  sampleId: string | null;
  createdAt: number;
  updatedAt: number;
  events: OrderEvent[];
  /** Fields sent by the creator: patient, passthrough and the like. */
  details: OrderDetails;
  interpretation: string | null;
  missingResults: boolean;
  /** Options of a simulation; null without one. */
  simulation: { types: readonly string[]; critical: boolean } | null;
  /** Overrides of the generated results, set by the control API. */
  result: ResultSettings;
  /** Overrides of the PDFs of its documents, set by the control API. */
  document: PdfSettings;
  /** It has an advance beneficiary notice. */
  hasAbn: boolean;
}

export interface PdfSettings {
  /** Size of a generated PDF that replaces the sample. */
  pdfBytes?: number;
  /** The connection is cut after this many bytes of the PDF. */
  pdfBreakAfter?: number;
}

export interface ResultSettings extends PdfSettings {
  /** Replaces the list; a free object is the legacy form. */
  results?: unknown;
  /** Overrides the generated metadata. */
  metadata?: Record<string, unknown>;
  /** Merged over the complete response. */
  fields?: Record<string, unknown>;
  /** Upstream withdrew it: 404, as if there were no result yet. */
  withdrawn?: boolean;
}

export interface OrderDetails {
  patient_details?: Record<string, unknown> | null;
  patient_address?: Record<string, unknown> | null;
  passthrough?: string | null;
  priority?: boolean;
  billing_type?: string;
  activate_by?: string | null;
  icd_codes?: string[] | null;
  physician?: Record<string, unknown> | null;
  clinical_notes?: string | null;
}

export type TransactionStatus = 'active' | 'completed' | 'cancelled';
