/*
 * The part of FHIR R4 (https://hl7.org/fhir/R4) that lab results need. The tests hold what is made of it to the
 * published JSON schema.
 */

export const fhirType = 'application/fhir+json';
export const fhirVersion = '4.0.1';

/** Namespaces of identifiers and codes that are not of a public system. */
export const systems = {
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
  account: 'urn:pulsekeep:account',
  order: 'urn:pulsekeep:order',
  transaction: 'urn:pulsekeep:order-transaction',
  result: 'urn:pulsekeep:result',
  sample: 'urn:pulsekeep:sample',
  report: 'urn:pulsekeep:lab-report',
  marker: 'urn:pulsekeep:marker',
  labMarker: 'urn:pulsekeep:lab-marker',
  sha256: 'urn:pulsekeep:sha-256',
  /** An address as an identifier. */
  address: 'urn:ietf:rfc:3986',
  section: 'http://terminology.hl7.org/CodeSystem/v2-0074',
  category: 'http://terminology.hl7.org/CodeSystem/observation-category',
  interpretation: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation',
  absent: 'http://terminology.hl7.org/CodeSystem/data-absent-reason',
} as const;

export interface Identifier {
  readonly system: string;
  readonly value: string;
}

export interface Reference {
  readonly reference?: string;
  readonly type?: string;
  readonly identifier?: Identifier;
  readonly display?: string;
}

export interface Coding {
  readonly system: string;
  readonly code: string;
  readonly display?: string;
}

export interface CodeableConcept {
  readonly coding?: readonly Coding[];
  readonly text?: string;
}

export interface Quantity {
  readonly value: number;
  readonly comparator?: '<' | '<=' | '>' | '>=';
  readonly unit?: string;
  readonly system?: string;
  readonly code?: string;
}

interface ResourceBase {
  readonly identifier?: readonly Identifier[];
  readonly subject: Reference;
}

export interface ServiceRequest extends ResourceBase {
  readonly resourceType: 'ServiceRequest';
  readonly requisition?: Identifier;
  readonly replaces?: readonly Reference[];
  readonly status: 'active' | 'completed' | 'revoked';
  readonly intent: 'order';
  readonly code?: CodeableConcept;
  readonly authoredOn: string;
  readonly performer?: readonly Reference[];
  readonly specimen?: readonly Reference[];
}

export interface Specimen extends ResourceBase {
  readonly resourceType: 'Specimen';
  readonly receivedTime?: string;
  readonly collection?: { readonly collectedDateTime: string };
}

export type ReportStatus = 'partial' | 'final' | 'corrected' | 'amended' | 'entered-in-error';

export interface DiagnosticReport extends ResourceBase {
  readonly resourceType: 'DiagnosticReport';
  readonly meta: { readonly versionId: string; readonly lastUpdated: string };
  readonly basedOn?: readonly Reference[];
  readonly status: ReportStatus;
  readonly category: readonly CodeableConcept[];
  readonly code: CodeableConcept;
  readonly effectiveDateTime?: string;
  readonly issued?: string;
  readonly performer?: readonly Reference[];
  readonly specimen?: readonly Reference[];
  readonly result?: readonly Reference[];
  readonly conclusion?: string;
  readonly presentedForm?: readonly Attachment[];
}

export interface Attachment {
  readonly extension: readonly { readonly url: string; readonly valueString: string }[];
  readonly contentType: string;
  readonly url: string;
  readonly size: number;
  readonly creation: string;
}

export interface Observation extends ResourceBase {
  readonly resourceType: 'Observation';
  readonly basedOn?: readonly Reference[];
  readonly status: 'preliminary' | 'final' | 'corrected' | 'amended' | 'cancelled' | 'entered-in-error';
  readonly category: readonly CodeableConcept[];
  readonly code: CodeableConcept;
  readonly effectiveDateTime?: string;
  readonly valueQuantity?: Quantity;
  readonly valueString?: string;
  readonly dataAbsentReason?: CodeableConcept;
  readonly interpretation?: readonly CodeableConcept[];
  readonly note?: readonly { readonly text: string }[];
  readonly specimen?: Reference;
  readonly derivedFrom?: readonly Reference[];
  readonly referenceRange?: readonly ReferenceRange[];
}

/** A document that a person has; its file is elsewhere. */
export interface DocumentReference extends ResourceBase {
  readonly resourceType: 'DocumentReference';
  readonly status: 'current';
  readonly docStatus: 'preliminary' | 'final';
  readonly type: CodeableConcept;
  readonly date: string;
  readonly content: readonly { readonly attachment: Pick<Attachment, 'contentType' | 'url'> }[];
}

export interface ReferenceRange {
  readonly low?: Quantity;
  readonly high?: Quantity;
  readonly text?: string;
}

export type Resource = ServiceRequest | Specimen | DiagnosticReport | Observation | DocumentReference;

export interface Bundle {
  readonly resourceType: 'Bundle';
  readonly type: 'collection';
  readonly timestamp: string;
  readonly entry: readonly { readonly fullUrl: string; readonly resource: Resource }[];
}
