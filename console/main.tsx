import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { Gate } from './frame/gate.js';
import { queryClient } from './lib/api.js';
import { applyTheme } from './lib/theme.js';

applyTheme();
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router base="/console">
        <Gate />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
