mod answers;
mod limits;
mod models;
mod refusals;
mod requests;
mod shares;
mod stopping;
