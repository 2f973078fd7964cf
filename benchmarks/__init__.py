"""Full-size synthetic dumps, and the measurements that are made on them."""
