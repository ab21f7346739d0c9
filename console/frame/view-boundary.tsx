import { Component, type ReactNode } from 'react';

/** A fault in one view leaves the frame and the other views intact. */
export class ViewBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="notice failure" role="alert">
        <strong>This view could not be shown.</strong>
        <div>The service may be newer than this page. Reload the page.</div>
        <button type="button" onClick={() => window.location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
