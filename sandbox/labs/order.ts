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
}

export interface ResultSettings {
  /** Takes the place of the list; a free object is the legacy form. */
  results?: unknown;
  /** Laid over the generated metadata. */
  metadata?: Record<string, unknown>;
  /** Merged over the complete response. */
  fields?: Record<string, unknown>;
  /** Upstream took it back: 404, as before there was one. */
  withdrawn?: boolean;
  /** Size of a generated PDF in place of the sample. */
  pdfBytes?: number;
  /** The line breaks once so many bytes of the PDF were sent. */
  pdfBreakAfter?: number;
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
