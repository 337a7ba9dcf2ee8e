// A checkout in Svelte 5.
import { mount } from 'svelte';
import Checkout from './checkout.svelte';

const target = document.querySelector('main');
mount(Checkout, { target, props: { ...target.dataset } });
