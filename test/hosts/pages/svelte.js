// A checkout in Svelte 5.
import { mount } from 'svelte';
import Checkout from './checkout.svelte';

const target = document.querySelector('main');
const { order, proxy } = target.dataset;
mount(Checkout, { target, props: { order, proxy } });
